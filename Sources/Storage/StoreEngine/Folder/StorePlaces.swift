import ChatelaineModel
import Glibc

/// The paths of a store and its companions, which lie beside each other so that one rename moves a whole folder.
///
/// Every path but the mark's begins with the store's own path. Only the daemon owns, writes and reads them.
package struct StorePlaces: Sendable {
    /// The folder of the store itself.
    let store: String
    /// The mark, which lies elsewhere, so that restoring a backup of the store does not restore it.
    let mark: String
    /// The folder of stores, and parts of stores, that were set aside; the daemon deletes them only with their keys.
    package let quarantine: String

    /// Makes the paths of a store.
    ///
    /// - Parameters:
    ///   - mark: the file of the mark; nil for one beside the store.
    ///   - quarantine: the folder of what is set aside; nil for one beside the store.
    package init(store: String, mark: String? = nil, quarantine: String? = nil) {
        self.store = store
        self.mark = mark ?? store + ".mark"
        self.quarantine = quarantine ?? store + ".quarantine"
    }

    /// Deletes everything that belongs to the store, for its owner.
    package func removeAll() throws(KeychainError) {
        for path in [store, draft, snapshots, quarantine, losses, unacknowledged, mark] {
            try StoreFolder.removeAll(path)
        }
        for folder in Set([store, mark].map(StoreFolder.parent)) where try StoreFolder.exists(folder) {
            try StoreFolder.sync(folder)
        }
    }

    /// The folder of finished snapshots, each in a folder.
    var snapshots: String { store + ".snapshots" }
    /// A new store that is being made, and replaces the store by a rename.
    var draft: String { store + ".new" }
    /// The list of all losses, line by line.
    var losses: String { store + ".losses.jsonl" }
    /// The record of the losses that nobody has acknowledged yet.
    var unacknowledged: String { store + Self.unacknowledgedEnding }
    package static let unacknowledgedEnding = ".unacknowledged"

    /// A new name in `folder` that sorts by time: the time in UTC and a number.
    package static func freshName(in folder: String, clock: StoreClock) throws(KeychainError) -> String {
        let stamp = clock.stamp
        var number = 1
        while try StoreFolder.exists("\(folder)/\(stamp)-\(number)") { number += 1 }
        return "\(stamp)-\(number)"
    }
}

extension StoreClock {
    /// The present time as `20261121T083000Z`, for names and lists.
    var stamp: String { Self.stamp(of: now()) }

    /// A time in seconds since 2001, as `20261121T083000Z`.
    static func stamp(of seconds: Double) -> String {
        var time = time_t(max(0, min(seconds + epoch, latest)))
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The end of the year 9999 in the seconds of Unix, so that years have four digits.
    private static let latest: Double = 253_402_300_799
}

/// The names in a store's folder, which all kinds of stores have taken over from stores of items.
enum StoreFiles {
    static let database = "items.db"
    static let log = "items.db-wal"
    /// The mark of formats 1 and 2; later marks lie outside of the folder (``HighWaterMark``).
    static let earlierMark = "mark"
}
