/// The version of everything that is built from this source, and the day it was made a release.
///
/// The one place where either stands: `security --version`, `security status`, manual pages and packages take them from
/// here. A release changes both, and then `make pages` is due.
package enum ChatelaineVersion {
    package static let number = "0.1.0"
    package static let date = "2026-11-21"

    /// The number in the library's name, `libSecurity.so.1`.
    ///
    /// One more when a program that was linked before would not run right: a function, constant or type is gone or means
    /// something else. What is added changes nothing. For programs in Swift this holds with one version of the compiler,
    /// since others cannot load each other's code. Tools and packages read it here.
    package static let library = "1"
}
