//! The limit of connections: a place for each there may be.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// The room one connection takes up. It is held for as long as the connection is served: dropping it lets another in.
#[derive(Debug)]
pub struct Place(Arc<Semaphore>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

/// All places of a server.
#[derive(Debug)]
pub(crate) struct Places {
    free: Arc<Semaphore>,
    count: usize,
}

impl Places {
    /// This many, or as many as can be counted, and at least one.
    pub(crate) fn new(count: usize) -> Self {
        let count = count.clamp(1, Semaphore::MAX_PERMITS.min(1 << 24));
        Self {
            free: Arc::new(Semaphore::new(count)),
            count,
        }
    }

    /// One, once there is one.
    pub(crate) async fn take(&self) -> Place {
        let permit = self.free.acquire().await.expect("the semaphore is never closed");
        permit.forget();
        Place(self.free.clone())
    }

    /// One, if there is one.
    pub(crate) fn try_take(&self) -> Option<Place> {
        self.free.try_acquire().ok()?.forget();
        Some(Place(self.free.clone()))
    }

    /// How many are taken.
    pub(crate) fn taken(&self) -> usize {
        self.count - self.free.available_permits().min(self.count)
    }

    /// Waits until none is taken. While it waits it holds those that are free, and [`taken`](Self::taken) counts them.
    pub(crate) async fn all_free(&self) {
        let all = self.free.acquire_many(self.count as u32).await;
        drop(all.expect("the semaphore is never closed"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_until_it_is_dropped() {
        let places = Places::new(0);
        assert_eq!(size_of::<Place>(), size_of::<usize>());
        let place = places.try_take().expect("at least one");
        assert!(places.try_take().is_none());
        assert_eq!(places.taken(), 1);
        drop(place);
        assert_eq!(places.taken(), 0);
        assert!(places.try_take().is_some());
    }
}
