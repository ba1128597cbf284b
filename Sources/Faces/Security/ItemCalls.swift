import ChatelaineIPC
import ChatelaineModel

/// The four calls of SecItem between the pairs of a dictionary and a shaped result, for Swift and for C alike.
package enum ItemCalls {
    package typealias Pair = (key: String, value: QueryValue)

    package static func add(_ pairs: [Pair]) throws(KeychainError) -> ResultTree? {
        let item = try QueryParser.newItem(pairs)
        return ResultTree.shape(added: try KeychainClient.shared.add(item), for: item.returns)
    }

    /// - Parameter hasPlace: whether the caller has a place for a result; without one it wants to know whether there is
    ///   an item, and gets no secret into its memory for that.
    package static func find(_ pairs: [Pair], hasPlace: Bool) throws(KeychainError) -> ResultTree? {
        var query = try QueryParser.query(pairs, for: .find)
        if !hasPlace {
            query.returns = []
            query.limit = .one
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
}
