import ChatelaineModel
import SwiftASN1
import TrustProtocol

/// What came along with a question about certificates that were revoked, and what was fetched. Neither is believed for where it came from.
struct RevocationSources: Sendable {
    enum State: Sendable {
        case good(until: Int64)
        case revoked
        case unknown
    }

    private let answers: [OCSPAnswer]
    private let lists: [RevocationList]
    private let moments: StatementMoments

    init(_ evaluation: TrustCase) {
        let (question, fetched) = (evaluation.question, evaluation.fetched)
        answers = (question.responses + fetched.responses).compactMap { try? OCSPAnswer($0) }
        lists = (question.revocationLists + fetched.revocationLists).compactMap { try? RevocationList($0) }
        moments = StatementMoments(date: evaluation.date, now: evaluation.now)
    }

    /// Whoever says that it is revoked is believed before somebody who does not.
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

/// When something was said, and until when it is true; seconds since 1970.
struct StatementPeriod: Sendable {
    let from: Int64
    /// A statement without an end is out of date at once.
    let until: Int64?

    /// Clocks of others are not ours.
    private static let tolerance: Int64 = 300

    func contains(_ date: Int64) -> Bool {
        guard let until else { return false }
        return hasBegun(by: date) && date <= until + Self.tolerance
    }

    func hasBegun(by date: Int64) -> Bool { from - Self.tolerance <= date }
}

/// When what is said of certificates has to be true; seconds since 1970.
///
/// Servers say what is true now, whatever the moment is that a program asks about, and what came along may be of that moment. What was revoked stays so: whoever keeps
/// later statements back must not have it trusted again.
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

/// Days of the Gregorian calendar, whose years begin in March here, so that the day that is sometimes there is the last.
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
