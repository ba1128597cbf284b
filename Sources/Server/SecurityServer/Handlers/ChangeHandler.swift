import ChatelaineIPC
import ChatelaineModel

/// Carries out subscriptions to notifications of changes.
enum ChangeHandler {
    static let routes: [RequestRoute] = [.init(subscribe), .init(subscribeToKeychainEvents)]

    static func subscribe(
        _ request: SubscribeToChanges, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let (changes, slot, caller) = (context.services.changes, context.slot, try context.caller)
        changes.list.awaitEndOfFormer(slot)
        try changes.subscribe(slot, caller)
        return NoReply()
    }

    static func subscribeToKeychainEvents(
        _ request: SubscribeToKeychainEvents, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let (events, slot) = (context.services.keychainEvents, context.slot)
        events.list.awaitEndOfFormer(slot)
        try events.subscribe(slot)
        return NoReply()
    }
}
