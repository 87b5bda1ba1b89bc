//! Coarse time for connections: one thread ticks for the whole process, and a deadline costs its connection one store.
//!
//! A timer of the runtime's own per connection would be looked at with every request, and set again with every other. Deadlines
//! here are seconds long: a tick late is early enough.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// How coarse it is.
const TICK: Duration = Duration::from_millis(20);
/// No deadline.
const NEVER: u64 = u64::MAX;

/// A point in time, in milliseconds since the clock was first used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

impl Moment {
    /// Now, or up to a tick ago.
    pub(crate) fn now() -> Self {
        Self(CLOCK.now.load(Ordering::Relaxed))
    }

    /// This much later, at least.
    pub(crate) fn after(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(millis).saturating_add(1))
    }
}

/// A point in time that several tasks set.
#[derive(Debug)]
pub(crate) struct SharedMoment(AtomicU64);

impl SharedMoment {
    /// Now.
    pub(crate) fn now() -> Self {
        Self(AtomicU64::new(Moment::now().0))
    }

    /// Sets it to now.
    pub(crate) fn touch(&self) {
        self.0.store(Moment::now().0, Ordering::Relaxed);
    }

    /// The time it is set to.
    pub(crate) fn get(&self) -> Moment {
        Moment(self.0.load(Ordering::Relaxed))
    }
}

static CLOCK: LazyLock<Arc<Clock>> = LazyLock::new(Clock::start);

struct Clock {
    now: AtomicU64,
    begun: Instant,
    alarms: Mutex<Alarms>,
    /// Signalled when the first alarm is there.
    some: Condvar,
}

#[derive(Default)]
struct Alarms {
    slots: Vec<Option<Arc<Slot>>>,
    free: Vec<usize>,
}

struct Slot {
    at: AtomicU64,
    waker: Mutex<Waker>,
}

impl Clock {
    fn start() -> Arc<Self> {
        let clock = Arc::new(Self {
            now: AtomicU64::new(0),
            begun: Instant::now(),
            alarms: Mutex::default(),
            some: Condvar::new(),
        });
        let ticking = clock.clone();
        std::thread::Builder::new()
            .name("polywire-clock".into())
            .spawn(move || ticking.run())
            .expect("a process that serves connections can start one more thread");
        clock
    }

    /// Ticks while there are alarms, sleeps while there are none.
    fn run(&self) {
        loop {
            let alarms = lock(&self.alarms);
            drop(
                self.some
                    .wait_while(alarms, |alarms| alarms.free.len() == alarms.slots.len()),
            );
            std::thread::sleep(TICK);
            let now = self.read();
            lock(&self.alarms).wake(|slot| slot.at.load(Ordering::Relaxed) <= now);
        }
    }

    fn read(&self) -> u64 {
        let now = self.begun.elapsed().as_millis() as u64;
        self.now.store(now, Ordering::Relaxed);
        now
    }
}

impl Alarms {
    fn wake(&self, due: impl Fn(&Slot) -> bool) {
        for slot in self.slots.iter().flatten().filter(|slot| due(slot)) {
            slot.at.store(NEVER, Ordering::Relaxed);
            lock(&slot.waker).wake_by_ref();
        }
    }
}

/// A task's place in the clock.
pub(crate) struct Alarm {
    index: usize,
    slot: Arc<Slot>,
    waker: Waker,
}

impl Alarm {
    /// One for the task that polls it.
    pub(crate) fn new() -> Self {
        let slot = Arc::new(Slot {
            at: AtomicU64::new(NEVER),
            waker: Mutex::new(Waker::noop().clone()),
        });
        let alarms = &mut *lock(&CLOCK.alarms);
        if alarms.free.len() == alarms.slots.len() {
            // The clock slept until now.
            CLOCK.read();
            CLOCK.some.notify_one();
        }
        let index = alarms.free.pop().unwrap_or_else(|| {
            alarms.slots.push(None);
            alarms.slots.len() - 1
        });
        alarms.slots[index] = Some(slot.clone());
        Self {
            index,
            slot,
            waker: Waker::noop().clone(),
        }
    }

    /// Has the polling task woken by this alarm, and by [`Drain::begin`].
    pub(crate) fn register(&mut self, task: &Context<'_>) {
        if !self.waker.will_wake(task.waker()) {
            self.waker.clone_from(task.waker());
            lock(&self.slot.waker).clone_from(task.waker());
        }
    }

    /// Ready once `deadline` has passed. The task has been [registered](Self::register).
    pub(crate) fn poll(&mut self, deadline: Moment, task: &Context<'_>) -> Poll<()> {
        debug_assert!(self.waker.will_wake(task.waker()), "the task is registered");
        if deadline <= Moment::now() {
            return Poll::Ready(());
        }
        self.slot.at.store(deadline.0, Ordering::Relaxed);
        Poll::Pending
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let alarms = &mut *lock(&CLOCK.alarms);
        alarms.slots[self.index] = None;
        alarms.free.push(self.index);
    }
}

/// The signal from a server to its connections that it is going down. A look costs one load.
#[derive(Debug, Default)]
pub(crate) struct Drain(AtomicBool);

impl Drain {
    /// Whether the server is going down.
    pub(crate) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// The server is going down. Every connection is woken to have a look, another server's too.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Release);
        lock(&CLOCK.alarms).wake(|_| true);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime without drivers")
            .block_on(future)
    }

    #[test]
    fn an_alarm_wakes_its_task_once_its_moment_has_passed() {
        let begun = Instant::now();
        let mut alarm = Alarm::new();
        let deadline = Moment::now().after(Duration::from_millis(30));
        block_on(poll_fn(|task| {
            alarm.register(task);
            alarm.poll(deadline, task)
        }));
        assert!(begun.elapsed() >= Duration::from_millis(30));
    }

    #[test]
    fn a_drain_wakes_tasks_that_wait_for_nothing() {
        let drain = Arc::new(Drain::default());
        let begins = drain.clone();
        let mut alarm = Alarm::new();
        let mut polled = false;
        block_on(poll_fn(|task| {
            alarm.register(task);
            if !std::mem::replace(&mut polled, true) {
                let begins = begins.clone();
                std::thread::spawn(move || begins.begin());
            }
            if drain.has_begun() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        }));
    }

    #[test]
    fn places_are_used_again() {
        let first = Alarm::new().index;
        assert!((0..100).all(|_| Alarm::new().index <= first + 100));
    }
}
