import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// Calls about an item of a file keychain, by keychain and account, or about all items.
///
/// A new item without a keychain goes into the default one. `ui` is `fail` or `skip` where the call must show no
/// prompt.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    static func performFileItem(_ command: [String: Any]) -> [String: Any]? {
        guard let call = command["call"] as? String, call.hasPrefix("file-") else { return nil }
        do throws(KeychainError) {
            let client = KeychainClient.shared
            let path = try KeychainPath(command["path"] as? String ?? "login.keychain", try client.deployment)
            let account = command["account"] as? String ?? ""
            let secret = (command["secret"] as? String).map { SecretBytes(Array($0.utf8)) }
            let scope = KeychainScope(paths: [path.text])
            var query = query(account, command["ui"] as? String)
            switch call {
            case "file-add":
                var item = NewItem(itemClass: .genericPassword)
                item.attributes = query.attributes
                item.attributes[.service] = .text("service")
                (item.secret, item.authenticationUI) = (secret, query.authenticationUI)
                if let trusted = command["trusted"] as? String {
                    item.access = .default(
                        descriptor: "of others", trusted: [try client.trustedApplication(at: trusted)])
                }
                _ = try client.add(item, to: command["path"] == nil ? nil : path)
            case "file-find":
                query.returns = [.data]
                let found = try client.find(query, in: scope).first?.item.secret
                return ["status": 0, "result": found?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } ?? ""]
            case "file-names":
                (query.returns, query.limit) = (.attributes, .all)
                let found = try client.find(query, in: scope)
                return [
                    "status": 0, "result": found.compactMap { $0.item.attributes[.account].map { "\($0)" } }.sorted(),
                ]
            case "file-update":
                var change = ItemChange()
                change.secret = secret
                try client.update(query, change, in: scope)
            case "file-delete":
                try client.delete(query, in: scope, asksPerson: command["asks"] as? Bool ?? false)
            default: return try fileAccess(call, query, in: path, password: secret)
            }
            return ["status": 0]
        } catch { return ["status": Int(error.status.rawValue), "result": error.reason] }
    }

    private static func query(_ account: String, _ ui: String?) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        if !account.isEmpty { query.attributes[.account] = .text(account) }
        query.authenticationUI = ui == "fail" ? .fail : ui == "skip" ? .skip : .allow
        return query
    }

    /// Reads an access object, opens it to every program, or makes it list every program of the user as a partition.
    private static func fileAccess(
        _ call: String, _ query: ItemQuery, in path: KeychainPath, password: SecretBytes?
    ) throws(KeychainError) -> [String: Any] {
        let client = KeychainClient.shared
        let ui = query.authenticationUI
        var names = query
        names.returns = [.attributes]
        guard let item = try client.find(names, in: KeychainScope(paths: [path.text])).first?.reference else {
            return ["error": "no item"]
        }
        switch call {
        case "file-open": try client.setAccess(.open, of: item, in: path.text, ui)
        case "file-partition":
            let object = AccessObject.open.partitioned(PartitionList([.appleTool]))
            guard let password else {
                try client.setAccess(object, of: item, in: path.text, ui)
                break
            }
            let report = try client.setAccess([ItemAccess(object, of: item)], in: path.text, password: password)
            return ["status": 0, "result": Int(report.outcome.rawValue)]
        default:
            let access = try client.access(of: item, in: path.text, ui)
            var listed: [String] = []
            for entry in access.entries {
                if case .applications(let applications, _) = entry.subject { listed += applications.map(\.path.text) }
            }
            return [
                "status": 0,
                "result": ["listed": listed, "partitions": access.partitionList?.identifiers.map(\.text) ?? []],
            ]
        }
        return ["status": 0]
    }
}
