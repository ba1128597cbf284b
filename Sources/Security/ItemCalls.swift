import ChatelaineIPC
import ChatelaineModel

/// The four calls of SecItem between the pairs of a dictionary and a shaped result, for Swift and for C alike.
package enum ItemCalls {
    package typealias Pair = (key: String, value: QueryValue)

    package static func add(_ pairs: [Pair]) throws(KeychainError) -> ResultTree? {
        var item = try QueryParser.query(pairs, for: .add)
        let added = try KeychainClient.shared.add(item)
        item.limit = .one
        return ResultTree.shape([added], for: item)
    }

    /// - Parameter hasPlace: whether the caller has a place for a result.
    package static func find(_ pairs: [Pair], hasPlace: Bool) throws(KeychainError) -> ResultTree? {
        let query = try QueryParser.query(pairs, for: .find)
        guard hasPlace || query.returns.isEmpty else {
            throw KeychainError(.param, "the query asks for a result, and the result pointer is nil")
        }
        return ResultTree.shape(try KeychainClient.shared.find(query), for: query)
    }

    package static func update(_ pairs: [Pair], _ changes: [Pair]) throws(KeychainError) {
        let query = try QueryParser.query(pairs, for: .update)
        try KeychainClient.shared.update(query, try QueryParser.change(changes, of: query.itemClass))
    }

    package static func delete(_ pairs: [Pair]) throws(KeychainError) {
        try KeychainClient.shared.delete(try QueryParser.query(pairs, for: .delete))
    }

    /// The status that a call returns to its program; the sentence of an error stays here.
    package static func status(of call: () throws(KeychainError) -> Void) -> OSStatus {
        do {
            try call()
            return errSecSuccess
        } catch {
            return error.status.rawValue
        }
    }
}
