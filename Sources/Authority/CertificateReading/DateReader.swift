import ChatelaineModel
import SwiftASN1

/// Reads the dates of certificates.
///
/// RFC 5280 uses one type for years until 2049, and another for later years.
enum DateReader {
    /// The date in seconds since 1970.
    static func read(_ node: ASN1Node, _ name: String) throws(CertificateFlaw) -> Int64 {
        do {
            switch node.identifier {
            case .utcTime:
                let time = try UTCTime(derEncoded: node)
                return seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
            case .generalizedTime:
                let time = try GeneralizedTime(derEncoded: node)
                // A fraction of a second is dropped; RFC 5280 allows none.
                return seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
            default: break
            }
        } catch {}
        throw CertificateFlaw("\(name) is no date that there is")
    }

    /// Seconds since 1970 by the Gregorian calendar, also for dates before its introduction.
    static func seconds(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int) -> Int64 {
        // Years begin in March here, so that the leap day is the last of its year.
        let shifted = year - (month < 3 ? 1 : 0)
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
}
