/// The version of everything that is built from this source, and the day of its release.
///
/// Version and date stand nowhere else: `security --version`, `security status`, manual pages and packages take them
/// from here. A release changes both; run `make pages` after that.
package enum ChatelaineVersion {
    package static let number = "0.1.0"
    package static let date = "2026-11-21"

    /// The number in the library's name, `libSecurity.so.1`.
    ///
    /// It rises by one when a program that was linked before would not run right: a function, constant or type is gone
    /// or means something else. An addition does not change it. For programs in Swift this holds within one version of
    /// the compiler. Compilers of different versions cannot load each other's code. Tools and packages read the number
    /// here.
    package static let library = "1"
}
