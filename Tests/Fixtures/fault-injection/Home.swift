import ChatelaineModel
import InProcess
import ItemStore

/// The home that a scenario lives in.
typealias Home = InProcessHome

extension InProcessHome {
    static let group: AccessGroup = "fault.injection.group"
    static let service = "fault-injection"

    convenience init(_ path: String, isMarked: Bool = true) {
        self.init(path, time: 800_000_000, isMarked: isMarked)
    }

    /// Everything that can be found, by account.
    func items() throws(KeychainError) -> [String: Item] {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text(Self.service)
        query.synchronizable = .any
        query.limit = .all
        query.returns = [.data, .attributes]
        var items: [String: Item] = [:]
        for found in try opened().find(query, groups: [Self.group]) {
            guard case .text(let account)? = found.attributes[.account], let secret = found.secret else {
                throw KeychainError(.decode, "an item without an account or a secret")
            }
            var label = ""
            if case .text(let text)? = found.attributes[.label] { label = text }
            items[account] = Item(
                secret: secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, label: label)
        }
        return items
    }
}
