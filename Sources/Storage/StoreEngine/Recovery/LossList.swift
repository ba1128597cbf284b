import ChatelaineModel
import Glibc

/// The file beside a store that lists what was lost, set aside or became older, for programs and for people.
///
/// Each line is a JSON object (`Documentation/formats/item-store.md`). A line is written before its change is
/// committed, so that a crash may repeat a line and never loses one. The list has identifiers and counts only, never an
/// attribute.
struct LossList: Sendable {
    /// The largest file: a line for each row of a store of two million.
    static let maximumBytes: off_t = 256 << 20

    /// The event of a line; the words are in files and never change meaning.
    enum Event: String, Sendable, CaseIterable {
        case setAside = "set-aside"
        case restored = "restored"
        case lost = "lost"
        case changesLost = "changes-lost"
        case changesMissing = "changes-missing"
        case acknowledged = "acknowledged"
        case markDamaged = "mark-damaged"
        case recoveryBegun = "recovery-begun"
        case recoveryFinished = "recovery-finished"
        case storeRestored = "store-restored"
        case markMissing = "mark-missing"
        case markOfAnotherStore = "mark-of-another-store"
        case headAltered = "head-altered"
        case otherHistory = "other-history"
        case olderFile = "older-file"
        case exchanged = "exchanged"
        case rowsAltered = "rows-altered"
        case cleared = "cleared"
        case storeDeleted = "store-deleted"
    }

    enum Value: Sendable {
        case text(String)
        case number(Int64)
    }

    let path: String
    let clock: StoreClock

    init(_ places: StorePlaces, clock: StoreClock) {
        path = places.losses
        self.clock = clock
    }

    /// Adds lines, durably; beyond ``maximumBytes`` lines are left out, and the log has the sums.
    func append(_ lines: [(event: Event, fields: [(name: String, value: Value)])]) throws(KeychainError) {
        guard !lines.isEmpty else { return }
        let descriptor = StoreFolder.openFile(path, O_RDWR | O_CREAT | O_APPEND)
        guard descriptor >= 0 else { throw KeychainError(file: path, "opening the list of losses") }
        defer { close(descriptor) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end < Self.maximumBytes else { return }
        var text = Self.isAtLineStart(descriptor, end) ? "" : "\n"
        for line in lines {
            let fields = [("time", Value.text(clock.stamp)), ("event", .text(line.event.rawValue))] + line.fields
            text += "{" + fields.map { "\"\($0.0)\":\(Self.json($0.1))" }.joined(separator: ",") + "}\n"
        }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // SAFETY: writes what is left of the array.
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw KeychainError(file: path, "writing the list of losses") }
            bytes = bytes.dropFirst(count)
        }
        guard StoreFolder.repeated({ fsync(descriptor) }) == 0 else {
            throw KeychainError(file: path, "syncing the list of losses")
        }
    }

    /// Whether the last line is complete; one that a power cut truncated is ended, and not joined with the next.
    private static func isAtLineStart(_ descriptor: Int32, _ end: off_t) -> Bool {
        guard end > 0 else { return true }
        var last: UInt8 = 0
        // SAFETY: reads one byte into one. What cannot be read counts as cut short: an empty line says nothing.
        guard StoreFolder.repeated({ Int32(pread(descriptor, &last, 1, end - 1)) }) == 1 else { return false }
        return last == UInt8(ascii: "\n")
    }

    /// Encodes a value; texts are the store's own names, which need no escapes.
    private static func json(_ value: Value) -> String {
        switch value {
        case .text(let text): "\"\(text)\""
        case .number(let number): String(number)
        }
    }

    /// A row's name in the list: its identifier in hexadecimal digits.
    static func text(_ identifier: [UInt8]) -> Value { .text(Hexadecimal.text(of: identifier)) }
}
