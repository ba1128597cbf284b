import ChatelaineIPC
import ChatelaineModel

/// Carries out requests about items.
enum ItemHandler {
    static func find(_ request: FindItems, _ context: inout RequestContext) throws(KeychainError) -> [FoundItem] {
        let (opened, caller) = (try context.opened, try context.caller)
        return try Keychain(opened: opened).find(request.query, for: caller) { () throws(KeychainError) in
            try context.reserveLargeReply()
        }
    }

    static func add(_ request: AddItem, _ context: inout RequestContext) throws(KeychainError) -> FoundItem {
        let change = try context.changeRequest(request.identifier)
        return try Keychain(opened: context.opened).add(request.item, for: context.caller, change)
    }

    static func update(_ request: UpdateItems, _ context: inout RequestContext) throws(KeychainError) -> NoReply {
        let change = try context.changeRequest(request.identifier)
        try Keychain(opened: context.opened).update(request.query, request.change, for: context.caller, change)
        return NoReply()
    }

    static func delete(_ request: DeleteItems, _ context: inout RequestContext) throws(KeychainError) -> NoReply {
        let change = try context.changeRequest(request.identifier)
        try Keychain(opened: context.opened).delete(request.query, for: context.caller, change)
        return NoReply()
    }
}
