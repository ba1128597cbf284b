import ChatelaineModel
import ChatelaineSystem
import Foundation

/// The access object of a file keychain item: an owner entry, and entries that give rights to programs.
///
/// The object is a value of the program, and has no effect until a call sets it on an item. Programs change it
/// through its entries, which are ``SecACL`` objects.
public final class SecAccess: NSObject, CFTypeIdentified, Sendable {
    /// The owner entry and the numbered others; an entry keeps its number when others are removed.
    private struct Entries {
        var owner: ACLEntry
        var others: [(number: UInt64, entry: ACLEntry)]
        var next: UInt64

        func index(of number: UInt64) throws(KeychainError) -> Int {
            guard let index = others.firstIndex(where: { $0.number == number }) else {
                throw KeychainError(.param, "the entry was removed from its access object")
            }
            return index
        }
    }

    /// The name of an entry, which stays valid when other entries are removed.
    enum Name: Hashable, Sendable {
        case owner
        case numbered(UInt64)
    }

    private let entries: AdaptiveMutex<Entries>

    package init(_ object: AccessObject) {
        let others = object.entries.enumerated().map { (UInt64($0.offset), $0.element) }
        entries = AdaptiveMutex(Entries(owner: object.owner, others: others, next: UInt64(others.count)))
    }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 263

    /// The current content, which is not validated: a keychain may still refuse it.
    package var object: AccessObject {
        entries.withLock { AccessObject(owner: $0.owner, entries: $0.others.map(\.entry)) }
    }

    public override var description: String { "<SecAccess: \(object.entries.count + 1) entries>" }

    // MARK: Entries

    /// All entries, the owner entry last.
    package var acls: [SecACL] { acls { _ in true } }

    package var aclsBesideOwner: [SecACL] { acls.filter { $0.name != .owner } }

    func acls(authorizing right: ACLAuthorization) -> [SecACL] { acls { $0.authorizes(right) } }

    private func acls(where isWanted: (ACLEntry) -> Bool) -> [SecACL] {
        let names = entries.withLock { entries in
            entries.others.filter { isWanted($0.entry) }.map { Name.numbered($0.number) }
                + (isWanted(entries.owner) ? [.owner] : [])
        }
        return names.map { SecACL(of: self, $0) }
    }

    func entry(_ name: Name) throws(KeychainError) -> ACLEntry {
        try entries.withLock { (entries) throws(KeychainError) in
            switch name {
            case .owner: entries.owner
            case .numbered(let number): entries.others[try entries.index(of: number)].entry
            }
        }
    }

    /// Changes an entry; the entry is unchanged on failure.
    func change(
        _ name: Name, _ body: (inout ACLEntry) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        try entries.withLock { (entries) throws(KeychainError) in
            switch name {
            case .owner:
                var entry = entries.owner
                try body(&entry)
                entries.owner = entry
            case .numbered(let number):
                let index = try entries.index(of: number)
                var entry = entries.others[index].entry
                try body(&entry)
                entries.others[index].entry = entry
            }
        }
    }

    func append(_ entry: ACLEntry) throws(KeychainError) -> SecACL {
        let number = try entries.withLock { (entries) throws(KeychainError) in
            guard entries.others.count < ACLLimits.entries else {
                throw KeychainError(
                    .dataTooLarge, "an access object has \(ACLLimits.entries) entries at the most: remove others")
            }
            let number = entries.next
            entries.next += 1
            entries.others.append((number, entry))
            return number
        }
        return SecACL(of: self, .numbered(number))
    }

    /// - Throws: `errSecInvalidOwnerEdit` for the owner entry, without which nobody could change the object.
    func remove(_ name: Name) throws(KeychainError) {
        guard case .numbered(let number) = name else {
            throw KeychainError(
                .invalidOwnerEdit, "the owner entry of an access object stays; change what is in it")
        }
        try entries.withLock { (entries) throws(KeychainError) in
            _ = entries.others.remove(at: try entries.index(of: number))
        }
    }
}
