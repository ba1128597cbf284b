import ChatelaineIPC
import ChatelaineModel

/// Carries out requests about items.
enum ItemHandler {
    static func find(_ request: FindItems, _ context: inout RequestContext) throws(KeychainError) -> [FoundItem] {
        let (keychain, caller) = (try context.keychain, try context.caller)
        // Out of the context, which the search changes, too.
        var access = context.access
        defer { context.access = access }
        return try keychain.find(request.query, for: caller, &access) { () throws(KeychainError) in
            try context.reserveLargeReply()
        }
    }

    static func add(_ request: AddItem, _ context: inout RequestContext) throws(KeychainError) -> FoundItem {
        let change = try context.changeRequest(request.identifier)
        let (keychain, caller) = (try context.keychain, try context.caller)
        return try keychain.add(request.item, for: caller, change, &context.access)
    }

    static func update(_ request: UpdateItems, _ context: inout RequestContext) throws(KeychainError) -> NoReply {
        let change = try context.changeRequest(request.identifier)
        let (keychain, caller) = (try context.keychain, try context.caller)
        try keychain.update(request.query, request.change, for: caller, change, &context.access)
        return NoReply()
    }

    static func delete(_ request: DeleteItems, _ context: inout RequestContext) throws(KeychainError) -> NoReply {
        let change = try context.changeRequest(request.identifier)
        let (keychain, caller) = (try context.keychain, try context.caller)
        try keychain.delete(request.query, for: caller, change, &context.access)
        return NoReply()
    }
}
