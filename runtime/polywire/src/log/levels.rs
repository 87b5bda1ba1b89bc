//! Which events are logged: `info`, or `info,my_app=debug,my_app::part=trace`.

use tracing::level_filters::LevelFilter;

/// Crates that warn of what a client does, each time it does: of these only errors are logged, unless they are named or everything is
/// wanted.
const INTERNAL: [&str; 2] = ["h2", "hyper"];

/// A level for all targets, and others for some.
pub(super) struct Levels {
    all: LevelFilter,
    some: Vec<(String, LevelFilter)>,
}

impl Levels {
    /// One for all.
    pub(super) fn all(level: LevelFilter) -> Self {
        let some = Vec::new();
        Self { all: level, some }
    }

    /// As text has them, if it is well-formed. Without a level for all, nothing else is logged.
    ///
    /// A word alone is a level or a mistake: taken for a target, `inof` would silence all others.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut levels = Self::all(LevelFilter::OFF);
        for part in text.split(',').map(str::trim) {
            match part.split_once('=') {
                Some(("", _)) => return None,
                Some((target, name)) => levels.some.push((target.to_owned(), level(name)?)),
                None => levels.all = level(part)?,
            }
        }
        Some(levels)
    }

    /// What is logged of a target: the longest that it begins with decides, and of the same the last.
    pub(super) fn of(&self, target: &str) -> LevelFilter {
        let fitting = self.some.iter().filter(|(begin, _)| target.starts_with(begin));
        let longest = fitting.max_by_key(|(begin, _)| begin.len());
        longest.map_or_else(|| self.of_unnamed(target), |&(_, level)| level)
    }

    fn of_unnamed(&self, target: &str) -> LevelFilter {
        let is_internal = INTERNAL.contains(&target.split("::").next().unwrap_or(target));
        match self.all {
            LevelFilter::WARN | LevelFilter::INFO if is_internal => LevelFilter::ERROR,
            all => all,
        }
    }

    /// What is logged of any target, at most.
    pub(super) fn most(&self) -> LevelFilter {
        let some = self.some.iter().map(|&(_, level)| level);
        some.fold(self.all, LevelFilter::max)
    }
}

fn level(name: &str) -> Option<LevelFilter> {
    const NAMES: [(&str, LevelFilter); 6] = [
        ("off", LevelFilter::OFF),
        ("error", LevelFilter::ERROR),
        ("warn", LevelFilter::WARN),
        ("info", LevelFilter::INFO),
        ("debug", LevelFilter::DEBUG),
        ("trace", LevelFilter::TRACE),
    ];
    let known = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.map(|&(_, level)| level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_target_decides() {
        let levels = Levels::parse("warn,app=info, app::db=trace,hushed=error").unwrap();
        for (target, level) in [
            ("tower", LevelFilter::WARN),
            ("app::web", LevelFilter::INFO),
            ("app::db::pool", LevelFilter::TRACE),
            ("hushed", LevelFilter::ERROR),
        ] {
            assert_eq!(levels.of(target), level, "{target}");
        }
        assert_eq!(levels.most(), LevelFilter::TRACE);
        assert_eq!(Levels::parse("a=info,a=debug").unwrap().of("a"), LevelFilter::DEBUG);
    }

    #[test]
    fn clients_cannot_fill_the_log_by_what_http2_warns_of() {
        for (levels, level) in [
            ("warn", LevelFilter::ERROR),
            ("info", LevelFilter::ERROR),
            ("error", LevelFilter::ERROR),
            ("off", LevelFilter::OFF),
            ("debug", LevelFilter::DEBUG),
            ("trace", LevelFilter::TRACE),
            ("info,h2=warn,hyper=warn", LevelFilter::WARN),
        ] {
            let levels = Levels::parse(levels).unwrap();
            for target in ["h2", "h2::proto::streams::streams", "hyper::proto::h2"] {
                assert_eq!(levels.of(target), level, "{target}");
            }
        }
        assert_eq!(Levels::parse("info").unwrap().of("h2o"), LevelFilter::INFO);
    }

    #[test]
    fn what_is_no_level_is_refused() {
        for good in ["info", "WARN", "off", "info,my_app=debug", "my_app::part=trace"] {
            assert!(Levels::parse(good).is_some(), "{good}");
        }
        for bad in [
            "inof",
            "verbose",
            "info,my_app",
            "my_app=",
            "my_app=loud",
            "=info",
            "info,",
            "",
        ] {
            assert!(Levels::parse(bad).is_none(), "{bad}");
        }
        assert_eq!(Levels::parse("app=info").unwrap().of("hyper"), LevelFilter::OFF);
    }
}
