import CChatelaineFoundation
import ChatelaineModel
import Security

/// `SecKeychainCallback` of `Security/SecKeychain.h`, whose structure is ``EventInformation``.
public typealias KeychainCallback =
    @convention(c) (UInt32, UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> OSStatus

/// `SecKeychainAddCallback` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainAddCallback")
public func keychainAddCallback(
    _ callback: KeychainCallback?, _ mask: UInt32, _ context: UnsafeMutableRawPointer?
) -> OSStatus {
    CallStatus.of("SecKeychainAddCallback") { () throws(KeychainError) in
        let callback = try CallbackFunction.required(callback)
        try KeychainCallbacks.shared.add(CallbackFunction.identity(callback), mask: mask) { event in
            // Without memory for the objects, the event is dropped.
            guard let objects = try? CallbackFunction.objects(of: event) else { return }
            var information = EventInformation(item: objects.item, keychain: objects.keychain, pid: event.pid)
            _ = callback(UInt32(event.kind.rawValue), &information, context)
            for object in [objects.item, objects.keychain] { if let object { chatelaine_release(object) } }
        }
    }
}

/// `SecKeychainRemoveCallback` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainRemoveCallback")
public func keychainRemoveCallback(_ callback: KeychainCallback?) -> OSStatus {
    CallStatus.of("SecKeychainRemoveCallback") { () throws(KeychainError) in
        try KeychainCallbacks.shared.remove(CallbackFunction.identity(try CallbackFunction.required(callback)))
    }
}

private enum CallbackFunction {
    static func required(_ callback: KeychainCallback?) throws(KeychainError) -> KeychainCallback {
        guard let callback else { throw KeychainError(.param, "the pointer to the callback is null") }
        return callback
    }

    /// The objects of an event, each with one reference that is released after the callback.
    static func objects(
        of event: KeychainEvent
    ) throws(KeychainError) -> (item: UnsafeRawPointer?, keychain: UnsafeRawPointer?) {
        var (item, keychain): (UnsafeRawPointer?, UnsafeRawPointer?)
        if let content = event.keychainObject { keychain = try KeychainObjects.make(content) }
        do throws(KeychainError) {
            if let content = event.itemObject { item = try ForeignObject.make(content, .keychainItem) }
        } catch {
            if let keychain { chatelaine_release(keychain) }
            throw error
        }
        return (item, keychain)
    }

    /// Identifies a function by its address.
    static func identity(_ callback: KeychainCallback) -> FunctionIdentity {
        FunctionIdentity(unsafeBitCast(callback, to: UInt.self))
    }
}
