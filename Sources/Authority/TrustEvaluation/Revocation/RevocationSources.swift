import ChatelaineModel
import SwiftASN1
import TrustProtocol

/// The evidence about revocation that came with a question or was fetched.
///
/// Its origin adds no trust.
struct RevocationSources: Sendable {
    enum State: Sendable {
        case good(until: Int64)
        case revoked
        case unknown
    }

    private let answers: [OCSPAnswer]
    private let lists: [CertificateRevocationList]
    private let moments: StatementMoments

    init(_ evaluation: TrustCase) {
        let (question, fetched) = (evaluation.question, evaluation.fetched)
        answers = (question.responses + fetched.responses).compactMap { try? OCSPAnswer($0) }
        lists = (question.revocationLists + fetched.revocationLists).compactMap { try? CertificateRevocationList($0) }
        moments = StatementMoments(date: evaluation.date, now: evaluation.now)
    }

    /// The state of a certificate according to all evidence.
    ///
    /// A statement that it is revoked wins.
    func state(of certificate: ReadCertificate, by issuer: ReadCertificate) -> State {
        var state = State.unknown
        let sources =
            answers.lazy.map { $0.state(of: certificate, by: issuer, at: moments) }
            + lists.lazy.map { $0.state(of: certificate, by: issuer, at: moments) }
        for found in sources {
            switch found {
            case .revoked: return .revoked
            case .good: state = found
            case .unknown: break
            }
        }
        return state
    }
}

/// The time of a statement, and the end of its validity; seconds since 1970.
struct StatementPeriod: Sendable {
    let from: Int64
    /// Nil counts as out of date at once.
    let until: Int64?

    /// In seconds: clocks of other machines differ.
    private static let tolerance: Int64 = 300

    func contains(_ date: Int64) -> Bool {
        guard let until else { return false }
        return hasBegun(by: date) && date <= until + Self.tolerance
    }

    func hasBegun(by date: Int64) -> Bool { from - Self.tolerance <= date }
}

/// The moments at which a statement about a certificate may hold; seconds since 1970.
///
/// Servers report the current state, whatever date a program asks about; evidence that came with the question may be of
/// that date. A revoked certificate stays revoked, so that nobody can make it trusted again by holding back later
/// statements.
struct StatementMoments: Sendable {
    let all: [Int64]

    init(date: Int64, now: Int64) { all = date == now ? [now] : [date, now] }

    func hasBegun(_ period: StatementPeriod) -> Bool { all.contains { period.hasBegun(by: $0) } }
}

extension GeneralizedTime {
    /// Seconds since 1970.
    var sinceEpoch: Int64 {
        DaysSince1970.of(year: year, month: month, day: day) * 86_400 + Int64(hours) * 3600 + Int64(minutes) * 60
            + Int64(seconds)
    }
}

extension UTCTime {
    /// Seconds since 1970.
    var sinceEpoch: Int64 {
        DaysSince1970.of(year: year, month: month, day: day) * 86_400 + Int64(hours) * 3600 + Int64(minutes) * 60
            + Int64(seconds)
    }
}

/// Counts days of the Gregorian calendar.
///
/// Years begin in March here, so that the leap day is the last of its year.
private enum DaysSince1970 {
    static func of(year: Int, month: Int, day: Int) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let century = year / 400
        let yearOfCentury = year - century * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfCentury = yearOfCentury * 365 + yearOfCentury / 4 - yearOfCentury / 100 + dayOfYear
        return Int64(century) * 146_097 + Int64(dayOfCentury) - 719_468
    }
}
