import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Security
import c_caller

/// The items of a benchmark, and the calls that it times.
///
/// Each function prepares a call, which is what its dictionary costs to build, and gives back the call itself.
struct Workload: Sendable {
    static let service = "chatelaine-bench"
    /// Items of one service for the listing.
    static let listedService = "chatelaine-bench-listed"
    static let listedCount = 1000
    static let secret = SecretBytes([UInt8]("correct horse battery st".utf8))

    let count: Int
    let client = KeychainClient.shared

    static func account(_ index: Int) -> String { "account-\(index)@example.org" }

    /// Adds items from `first` on, over several connections.
    func fill(from first: Int, threads: Int = 4) throws {
        let failures = LockedCount()
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for index in stride(from: first + thread, to: count, by: threads) {
                let isListed = index < Self.listedCount
                do throws(KeychainError) {
                    try add(isListed ? Self.listedService : Self.service, index)
                } catch { if error.status != .duplicateItem { failures.increment() } }
            }
        }
        try BenchError.check(failures.value == 0, "\(failures.value) items could not be added")
    }

    func add(_ service: String, _ index: Int) throws(KeychainError) {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text(service)
        item.attributes[.account] = .text(Self.account(index))
        item.attributes[.label] = .text("An account of the benchmark")
        item.secret = Self.secret
        _ = try client.add(item)
    }

    /// An account that is there, another one each time.
    func nextAccount(_ step: Int) -> (service: String, account: String) { account((step * 7919) % count) }

    private func account(_ index: Int) -> (service: String, account: String) {
        (index < Self.listedCount ? Self.listedService : Self.service, Self.account(index))
    }

    func copySecret(_ step: Int) -> () throws -> Void { copySecret(of: nextAccount(step)) }

    /// A look-up of the item that was added as the `index`th.
    func copySecretOf(_ index: Int) -> () throws -> Void { copySecret(of: account(max(0, index))) }

    private func copySecret(of item: (service: String, account: String)) -> () throws -> Void {
        let (service, account) = item
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account, kSecReturnData as String: true,
            kSecMatchLimit as String: kSecMatchLimitOne,
        ]
        let dictionary = query as CFDictionary
        return {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(dictionary, &result)
            try BenchError.check(status == 0 && result is NSData, "look-up: \(status)")
        }
    }

    /// The look-up of ``copySecret(_:)`` by a C program.
    func copySecretInC(_ step: Int) -> () throws -> Void {
        let (service, account) = nextAccount(step)
        // SAFETY: the query is made for one call, which lets go of it.
        let query = c_caller_query(service, account)
        return { try BenchError.check(c_caller_look_up(query), "look-up in C") }
    }

    func copyAttributes(_ step: Int) -> () throws -> Void {
        let (service, account) = nextAccount(step)
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account, kSecReturnAttributes as String: true,
        ]
        let dictionary = query as CFDictionary
        return {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(dictionary, &result)
            try BenchError.check(status == 0 && result is NSDictionary, "look-up of attributes: \(status)")
        }
    }

    func findAttributes(_ step: Int) -> () throws -> Void {
        let (service, account) = nextAccount(step)
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text(service)
        query.attributes[.account] = .text(account)
        query.returns = .attributes
        return { try BenchError.check(try client.find(query).count == 1, "look-up through the client") }
    }

    /// A call that the daemon refuses before it looks for anything: what connection and identity cost.
    func findForeign(_ step: Int) -> () throws -> Void {
        var query = ItemQuery(itemClass: .genericPassword)
        query.accessGroup = "somebody else's"
        return { try BenchError.check((try? client.find(query)) == nil, "a foreign group is open") }
    }

    func addThroughSecItem(_ step: Int) -> () throws -> Void {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "chatelaine-bench-added",
            kSecAttrAccount as String: "added-\(step)", kSecAttrLabel as String: "An account of the benchmark",
            kSecValueData as String: Data(repeating: 7, count: 24),
        ]
        let dictionary = attributes as CFDictionary
        return {
            let status = SecItemAdd(dictionary, nil)
            try BenchError.check(status == 0, "addition: \(status)")
        }
    }

    /// Everything of the listed service, as data or as attributes.
    func list(attributes: Bool) throws {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: Self.listedService,
            kSecMatchLimit as String: kSecMatchLimitAll,
        ]
        query[(attributes ? kSecReturnAttributes : kSecReturnData) as String] = true
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        try BenchError.check(status == 0 && (result as? [Any])?.count == Self.listedCount, "listing: \(status)")
    }
}
