//! The descriptors a process may have, and room for them.

/// Descriptors left for everything that is no connection.
const RESERVED: usize = 64;

/// How many connections there may be by the process's descriptor limit.
pub(crate) fn for_connections() -> usize {
    #[cfg(unix)]
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .map_or(1 << 20, |n| n as usize);
    #[cfg(not(unix))]
    let limit = 1 << 14;
    limit.saturating_sub(RESERVED).max(1)
}

/// Has the kernel make room for the descriptors of a crowd. It makes room by doubling, and once there are threads it waits for every
/// processor each time: 10 ms on an idle machine, and on a busy one it has kept an acceptor for seconds. So it is best called
/// before there are any; [`Listener::bind`](crate::Listener::bind) does it at the latest. The room is half a megabyte of the
/// kernel's.
pub fn make_room_for_descriptors() {
    #[cfg(unix)]
    {
        const CROWD: usize = 1 << 16;
        let highest = for_connections().min(CROWD) as i32 - 1;
        // Where it can't be had, or there is nothing to make it with, it is made when it is needed.
        drop(rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), highest));
    }
}
