//! When which connection of a worker is to be woken: an alarm for each, looked through at every tick.

use std::cell::{Cell, RefCell};
use std::task::{Context, Waker};

use crate::clock::Moment;

/// A connection's place among the alarms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat(u32);

/// All of a worker's. A connection sits at one while it lives.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    alarms: RefCell<Vec<Alarm>>,
    free: RefCell<Vec<Seat>>,
    taken: Cell<usize>,
    /// Wakes the ticker, which sleeps while no seat is taken.
    ticker: RefCell<Option<Waker>>,
}

#[derive(Debug)]
struct Alarm {
    at: Moment,
    /// The connection's task, once it was polled.
    task: Option<Waker>,
}

impl Alarms {
    /// A seat for a connection.
    pub(crate) fn take(&self) -> Seat {
        if self.taken.replace(self.taken.get() + 1) == 0
            && let Some(ticker) = self.ticker.take()
        {
            ticker.wake();
        }
        let free = self.free.borrow_mut().pop();
        free.unwrap_or_else(|| {
            let alarms = &mut *self.alarms.borrow_mut();
            alarms.push(Alarm {
                at: Moment::NEVER,
                task: None,
            });
            Seat(alarms.len() as u32 - 1)
        })
    }

    /// The connection is over.
    pub(crate) fn give_back(&self, seat: Seat) {
        self.taken.set(self.taken.get() - 1);
        // Dropped after the borrow: it may be the last of its task.
        let task = {
            let alarm = &mut self.alarms.borrow_mut()[seat.0 as usize];
            alarm.at = Moment::NEVER;
            alarm.task.take()
        };
        drop(task);
        self.free.borrow_mut().push(seat);
    }

    /// The task that sits here, told once.
    pub(crate) fn sit(&self, seat: Seat, task: &Context<'_>) {
        self.alarms.borrow_mut()[seat.0 as usize].task = Some(task.waker().clone());
    }

    /// Wakes the task then, in place of whenever it was to be woken.
    pub(crate) fn set(&self, seat: Seat, at: Moment) {
        self.alarms.borrow_mut()[seat.0 as usize].at = at;
    }

    /// Wakes the task then, or before if it was to be woken before: one time too many does no harm.
    pub(crate) fn add(&self, seat: Seat, at: Moment) {
        let alarm = &mut self.alarms.borrow_mut()[seat.0 as usize];
        alarm.at = alarm.at.min(at);
    }

    /// Wakes those whose moment has come.
    pub(crate) fn ring(&self, now: Moment) {
        for alarm in &mut *self.alarms.borrow_mut() {
            if alarm.at <= now {
                alarm.at = Moment::NEVER;
                if let Some(task) = &alarm.task {
                    task.wake_by_ref();
                }
            }
        }
    }

    /// Wakes all.
    pub(crate) fn ring_all(&self) {
        for alarm in &*self.alarms.borrow() {
            if let Some(task) = &alarm.task {
                task.wake_by_ref();
            }
        }
    }

    /// Whether no seat is taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.taken.get() == 0
    }

    /// Whether there is nobody to wake. Then `ticker` is woken once there is.
    pub(crate) fn sleeps(&self, ticker: &Context<'_>) -> bool {
        let none = self.is_empty();
        if none {
            *self.ticker.borrow_mut() = Some(ticker.waker().clone());
        }
        none
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;
    use std::time::Duration;

    use super::*;
    use crate::clock::Clock;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn each_is_woken_once_at_its_moment() {
        let (alarms, begun) = (Alarms::default(), Clock::new().now());
        let counts: Vec<Arc<Count>> = (0..3).map(|_| Arc::default()).collect();
        let woken = || {
            counts
                .iter()
                .map(|count| count.0.load(Ordering::Relaxed))
                .collect::<Vec<_>>()
        };
        let seats: Vec<Seat> = counts.iter().map(|_| alarms.take()).collect();
        for (&seat, count) in seats.iter().zip(&counts) {
            alarms.sit(seat, &Context::from_waker(&count.clone().into()));
        }
        let at = |seconds| begun.after(Duration::from_secs(seconds));
        alarms.set(seats[0], at(1));
        alarms.set(seats[1], at(5));
        alarms.add(seats[1], at(2));
        alarms.add(seats[1], at(3));
        alarms.ring(at(1));
        assert_eq!(woken(), [1, 0, 0]);
        alarms.ring(at(2));
        alarms.ring(at(2));
        assert_eq!(woken(), [1, 1, 0]);
        alarms.ring_all();
        assert_eq!(woken(), [2, 2, 1]);
        alarms.give_back(seats[0]);
        alarms.ring_all();
        assert_eq!(woken(), [2, 3, 2], "who has gone is not woken");
    }

    #[test]
    fn the_ticker_sleeps_while_there_is_nobody() {
        let (alarms, ticker) = (Alarms::default(), Arc::<Count>::default());
        let waker = ticker.clone().into();
        let task = &Context::from_waker(&waker);
        assert!(alarms.sleeps(task));
        let seat = alarms.take();
        assert_eq!(ticker.0.load(Ordering::Relaxed), 1);
        assert!(!alarms.sleeps(task));
        alarms.give_back(seat);
        assert!(alarms.sleeps(task));
    }
}
