//! What is logged: a level for everything, and others for what begins with a name.

use std::str::FromStr;

use tracing::Metadata;
use tracing::level_filters::LevelFilter;

/// A level for each target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    default: LevelFilter,
    targets: Vec<(String, LevelFilter)>,
}

impl Levels {
    pub(crate) fn all(default: LevelFilter) -> Self {
        Self {
            default,
            targets: Vec::new(),
        }
    }

    /// `info`, or `info,my_app=debug,my_app::part=trace`; without a level for everything, nothing else is logged.
    ///
    /// A word alone is a level or a mistake: as a target, `inof` would silence all others.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut levels = Self::all(LevelFilter::OFF);
        for part in text.split(',').map(str::trim) {
            match part.split_once('=') {
                Some((target, level)) if !target.is_empty() => levels.targets.push((target.to_owned(), parse(level)?)),
                Some(_) => return None,
                None => levels.default = parse(part)?,
            }
        }
        levels
            .targets
            .sort_by_key(|(target, _)| std::cmp::Reverse(target.len()));
        Some(levels)
    }

    pub(crate) fn enable(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.of(metadata.target())
    }

    /// The most that any target logs.
    pub(crate) fn most(&self) -> LevelFilter {
        self.targets
            .iter()
            .map(|(_, level)| *level)
            .fold(self.default, LevelFilter::max)
    }

    fn of(&self, target: &str) -> LevelFilter {
        let fitting = self.targets.iter().filter(|(prefix, _)| target.starts_with(&**prefix));
        let most_specific = fitting.max_by_key(|(prefix, _)| prefix.len());
        most_specific.map_or(self.default, |(_, level)| *level)
    }
}

fn parse(level: &str) -> Option<LevelFilter> {
    // `LevelFilter` takes nothing at all for a level.
    (!level.is_empty()).then(|| LevelFilter::from_str(level).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_target_decides() {
        let levels = Levels::parse("warn,app=info, app::db=trace").unwrap();
        assert_eq!(levels.of("hyper"), LevelFilter::WARN);
        assert_eq!(levels.of("app::web"), LevelFilter::INFO);
        assert_eq!(levels.of("app::db::pool"), LevelFilter::TRACE);
        assert_eq!(levels.most(), LevelFilter::TRACE);
        assert_eq!(Levels::parse("app=info").unwrap().of("hyper"), LevelFilter::OFF);
        assert_eq!(Levels::parse("DEBUG"), Some(Levels::all(LevelFilter::DEBUG)));
        assert_eq!(Levels::parse("off").unwrap().most(), LevelFilter::OFF);
    }

    #[test]
    fn what_is_no_level_is_refused() {
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
            assert_eq!(Levels::parse(bad), None, "{bad}");
        }
    }
}
