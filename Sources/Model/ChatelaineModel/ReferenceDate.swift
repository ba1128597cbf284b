/// 1 January 2001, from which CoreFoundation counts, and with it items, stores and settings.
///
/// System calls, certificates and signatures count from 1970 instead.
package enum ReferenceDate {
    /// The seconds from 1970 to this date.
    package static let secondsSince1970: Int64 = 978_307_200
}
