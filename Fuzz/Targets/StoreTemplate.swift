import ChatelaineMemory
import ChatelaineModel
import Glibc
import Synchronization

@testable import ItemStore
@testable import StoreEngine

/// A store before any change: all files below a folder, by their names.
struct StoreTemplate: Sendable {
    static let group: AccessGroup = "fuzz.group"
    static let items = 5

    private let files: [(name: String, content: [UInt8])]

    /// An intact store with a snapshot and a set-aside item, and a store whose recovery has just begun.
    static let all: [StoreTemplate] = [StoreTemplate(isDamaged: false), StoreTemplate(isDamaged: true)]

    static func secret(of account: String) -> SecretBytes { SecretBytes("secret of \(account)".utf8) }

    private init(isDamaged: Bool) {
        let home = FuzzFolder.shared.path + "/template"
        let folder = home + "/stores/fuzz"
        do {
            try Self.fill(folder)
            if isDamaged {
                FuzzFolder.garble(folder + "/" + StoreFiles.database, at: 0, bytes: DamagedDatabase.defaultPageSize)
                _ = try Self.store(folder)
            }
            files = FuzzFolder.contents(of: home)
            FuzzFolder.removeTree(home)
        } catch {
            preconditionFailure("no template can be made: \(error)")
        }
    }

    private static func store(_ folder: String) throws -> ItemStore {
        let time = FuzzClock(8e8 - 86400)
        return try ItemStore(folder: folder, keys: FixedKeys(), clock: StoreClock { time.next() })
    }

    private static func fill(_ folder: String) throws {
        let store = try store(folder)
        for number in 0..<items {
            var item = NewItem(itemClass: .genericPassword)
            item.attributes[.account] = .text("\(number)")
            item.attributes[.service] = .text("fuzz")
            item.isSynchronizable = number == 4
            item.secret = secret(of: "\(number)")
            _ = try store.add(item, group: group, request: request(UInt8(number)))
        }
        _ = try store.takeSnapshot(.request)
        var last = ItemQuery(itemClass: .genericPassword)
        last.attributes[.account] = .text("4")
        last.synchronizable = .any
        try store.delete(last, groups: [group], request: request(9))
    }

    private static func request(_ number: UInt8) throws(KeychainError) -> ChangeRequest {
        try ChangeRequest(
            name: [UInt8](repeating: 0x20 + number, count: ChangeRequest.nameByteCount),
            digest: [UInt8](repeating: number, count: ChangeRequest.digestByteCount))
    }

    /// Replaces the stores below `path` with the files of the template.
    func restore(to path: String) {
        FuzzFolder.removeTree(path + "/stores")
        for (name, content) in files { FuzzFolder.put(content, at: path + name) }
    }
}

/// A clock that advances a second with each reading.
final class FuzzClock: Sendable {
    private let now: Mutex<Double>

    init(_ start: Double) { now = Mutex(start) }

    func next() -> Double {
        now.withLock {
            $0 += 1
            return $0
        }
    }
}
