/// The version of everything that is built from this source, and the day it was made a release.
///
/// The one place where either stands: `security --version`, `security status`, manual pages and packages take them from
/// here. A release changes both, and then `make pages` is due.
public enum ChatelaineVersion {
    public static let number = "0.1.0"
    public static let date = "2026-11-21"
}
