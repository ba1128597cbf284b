import ChatelaineModel
import Glibc

/// Where a store and what belongs to it lie: beside each other, so that one rename moves a whole folder.
///
/// All but the mark has the store's own path as the beginning of its name. Owned, written and read by the daemon alone.
package struct StorePlaces: Sendable {
    /// The folder of the store itself.
    let store: String
    /// What remembers its last change: elsewhere, so that it does not go back with a store that is put back.
    let mark: String

    /// - Parameter mark: the file of the mark; nil for one beside the store.
    package init(store: String, mark: String? = nil) {
        self.store = store
        self.mark = mark ?? store + ".mark"
    }

    /// Deletes everything that a store has, as its owner wants it.
    package func removeAll() throws(KeychainError) {
        for path in [store, draft, snapshots, quarantine, losses, unacknowledged, mark] {
            try StoreFolder.removeAll(path)
        }
        for folder in Set([store, mark].map(StoreFolder.parent)) where try StoreFolder.exists(folder) {
            try StoreFolder.sync(folder)
        }
    }

    /// Finished snapshots, a folder each.
    var snapshots: String { store + ".snapshots" }
    /// Stores, and parts of stores, that were set aside; nothing in it is deleted by us but with its keys.
    package var quarantine: String { store + ".quarantine" }
    /// A store that is being made and takes the store's place by a rename.
    var draft: String { store + ".new" }
    /// What was lost or became older, line by line.
    var losses: String { store + ".losses.jsonl" }
    /// Which of that nobody has acknowledged yet.
    var unacknowledged: String { store + Self.unacknowledgedEnding }
    package static let unacknowledgedEnding = ".unacknowledged"

    /// A name that sorts by time and is not taken yet among those in `folder`: the time in UTC and a number.
    package static func freshName(in folder: String, clock: StoreClock) throws(KeychainError) -> String {
        let stamp = clock.stamp
        var number = 1
        while try StoreFolder.exists("\(folder)/\(stamp)-\(number)") { number += 1 }
        return "\(stamp)-\(number)"
    }
}

extension StoreClock {
    /// The time as `20261121T083000Z`, for names and lists.
    var stamp: String { Self.stamp(of: now()) }

    /// The same for seconds since 2001.
    static func stamp(of seconds: Double) -> String {
        var time = time_t(max(0, min(seconds + reference, latest)))
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The end of the year 9999 in the seconds of Unix, so that years have four digits.
    private static let latest: Double = 253_402_300_799
}

/// The names in a store's folder: those that stores of items have had from the first, whatever rows a store keeps.
enum StoreFiles {
    static let database = "items.db"
    static let log = "items.db-wal"
    /// Of formats 1 and 2; since then the mark lies outside of the folder (``HighWaterMark``).
    static let earlierMark = "mark"
}
