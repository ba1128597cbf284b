import ChatelaineModel
import Glibc

/// Where a store and what belongs to it lie: beside each other, so that one rename moves a whole folder.
///
/// Everything has the store's own path as the beginning of its name. Owned, written and read by the daemon alone.
struct StorePlaces: Sendable {
    /// The folder of the store itself.
    let store: String

    /// Finished snapshots, a folder each.
    var snapshots: String { store + ".snapshots" }
    /// Stores, and parts of stores, that were set aside; nothing in it is ever deleted by us.
    var quarantine: String { store + ".quarantine" }
    /// A store that is being made and takes the store's place by a rename.
    var draft: String { store + ".new" }
    /// What was lost or became older, line by line.
    var losses: String { store + ".losses.jsonl" }

    /// A name that sorts by time and is not taken yet among those in `folder`: the time in UTC and a number.
    static func freshName(in folder: String, clock: StoreClock) throws(KeychainError) -> String {
        let stamp = clock.stamp
        var number = 1
        while try StoreFolder.exists("\(folder)/\(stamp)-\(number)") { number += 1 }
        return "\(stamp)-\(number)"
    }
}

extension StoreClock {
    /// The time as `20261121T083000Z`, for names and lists.
    var stamp: String {
        var time = time_t(max(0, min(now() + Self.reference, Self.latest)))
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The end of the year 9999 in the seconds of Unix, so that years have four digits.
    private static let latest: Double = 253_402_300_799
}
