import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Security
import c_caller

/// The items of a benchmark, and the timed calls.
///
/// Each function builds the dictionary of a call, and returns the call itself, so that the time excludes the
/// dictionary.
struct Workload: Sendable {
    static let service = "chatelaine-bench"
    /// The service of the items in the listing.
    static let listedService = "chatelaine-bench-listed"
    static let listedCount = 1000
    static let secret = SecretBytes([UInt8]("correct horse battery st".utf8))

    let count: Int
    let client = KeychainClient.shared

    static func account(_ index: Int) -> String { "account-\(index)@example.org" }

    /// A label that no other item has.
    static func label(_ index: Int) -> String { "An account of the benchmark, \(index)" }

    /// Adds the items from `first` on, over several connections.
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
        item.attributes[.label] = .text(Self.label(index))
        item.secret = Self.secret
        _ = try client.add(item)
    }

    /// The account of an existing item, another one for each step.
    func nextAccount(_ step: Int) -> (service: String, account: String) { account(nextIndex(step)) }

    private func nextIndex(_ step: Int) -> Int { (step * 7919) % count }

    private func account(_ index: Int) -> (service: String, account: String) {
        (index < Self.listedCount ? Self.listedService : Self.service, Self.account(index))
    }

    func copySecret(_ step: Int) -> () throws -> Void { copySecret(of: nextAccount(step)) }

    /// Looks up the item that was added as the `index`th.
    func copySecretOf(_ index: Int) -> () throws -> Void { copySecret(of: account(max(0, index))) }

    private func copySecret(of item: (service: String, account: String)) -> () throws -> Void {
        copySecret(by: [kSecAttrService as String: item.service, kSecAttrAccount as String: item.account])
    }

    func copySecretByLabel(_ step: Int) -> () throws -> Void {
        copySecret(by: [kSecAttrLabel as String: Self.label(nextIndex(step))])
    }

    private func copySecret(by attributes: [String: Any]) -> () throws -> Void {
        var query = attributes
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        let dictionary = query as CFDictionary
        return {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(dictionary, &result)
            try BenchError.check(status == 0 && result is NSData, "look-up: \(status)")
        }
    }

    /// Makes the look-up of ``copySecret(_:)`` through the C interface.
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

    /// A call that the daemon refuses before any search, to measure connection and identity.
    func findForeign(_ step: Int) -> () throws -> Void {
        var query = ItemQuery(itemClass: .genericPassword)
        query.accessGroup = "somebody else's"
        return { try BenchError.check((try? client.find(query)) == nil, "a foreign group is open") }
    }

    /// Lists the whole listed service, as data or as attributes.
    @discardableResult
    func list(attributes: Bool) throws -> NSArray {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: Self.listedService,
            kSecMatchLimit as String: kSecMatchLimitAll,
        ]
        query[(attributes ? kSecReturnAttributes : kSecReturnData) as String] = true
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == 0, let found = result as? NSArray, found.count == Self.listedCount else {
            throw BenchError("listing: \(status)")
        }
        return found
    }
}
