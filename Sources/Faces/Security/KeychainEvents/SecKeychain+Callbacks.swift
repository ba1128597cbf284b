import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Which events a callback is called for: one bit for each ``SecKeychainEvent``.
public struct SecKeychainEventMask: OptionSet, @unchecked Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ event: SecKeychainEvent) { self.init(rawValue: 1 << event.rawValue) }

    public static var lockEventMask: SecKeychainEventMask { .init(.lockEvent) }
    public static var unlockEventMask: SecKeychainEventMask { .init(.unlockEvent) }
    public static var addEventMask: SecKeychainEventMask { .init(.addEvent) }
    public static var deleteEventMask: SecKeychainEventMask { .init(.deleteEvent) }
    public static var updateEventMask: SecKeychainEventMask { .init(.updateEvent) }
    public static var passwordChangedEventMask: SecKeychainEventMask { .init(.passwordChangedEvent) }
    public static var defaultChangedEventMask: SecKeychainEventMask { .init(.defaultChangedEvent) }
    /// Nothing tells of it.
    public static var dataAccessEventMask: SecKeychainEventMask { .init(.dataAccessEvent) }
    public static var keychainListChangedMask: SecKeychainEventMask { .init(.keychainListChangedEvent) }
    /// The user's settings of trust changed; the event has neither item nor keychain.
    public static var trustSettingsChangedEventMask: SecKeychainEventMask { .init(.trustSettingsChangedEvent) }
    public static var everyEventMask: SecKeychainEventMask { .init(rawValue: .max) }
}

/// What a callback is told besides the event.
///
/// Its objects are lent for the call. An event about no item has a null pointer for one, and so has a change of the search list
/// for the keychain: do not touch ``item`` and ``keychain`` where the event has none.
public struct SecKeychainCallbackInfo {
    /// 0.
    public var version: UInt32
    /// What was added, deleted or updated. It is null where so many items changed that the event stands for all of them.
    public var item: Unmanaged<SecKeychainItem>
    /// Where it happened.
    public var keychain: Unmanaged<SecKeychain>
    /// The process that did it; 0 where the keychain locked by itself, or where several did.
    public var pid: pid_t

    public init(
        version: UInt32, item: Unmanaged<SecKeychainItem>, keychain: Unmanaged<SecKeychain>, pid: pid_t
    ) {
        (self.version, self.item, self.keychain, self.pid) = (version, item, keychain, pid)
    }
}

/// A function that is called for events; what it returns counts for nothing. It should capture nothing, as on macOS.
public typealias SecKeychainCallback =
    (SecKeychainEvent, UnsafeMutablePointer<SecKeychainCallbackInfo>, UnsafeMutableRawPointer?) -> OSStatus

/// Has a function called for what happens to file keychains, whoever does it.
///
/// It is called on this thread while its run loop runs (`RunLoop.current.run()`), never inside of the call that changes something.
/// The item may be read and deleted there, and callbacks added and removed.
///
/// - Returns: `errSecDuplicateCallback` for a function that is one already.
@discardableResult
public func SecKeychainAddCallback(
    _ callbackFunction: @escaping SecKeychainCallback, _ eventMask: SecKeychainEventMask,
    _ userContext: UnsafeMutableRawPointer?
) -> OSStatus {
    CallStatus.of("SecKeychainAddCallback") { () throws(KeychainError) in
        try KeychainCallbacks.shared.add(FunctionIdentity(callbackFunction), mask: eventMask.rawValue) { event in
            guard let kind = SecKeychainEvent(rawValue: UInt32(event.kind.rawValue)) else { return }
            let (item, keychain) = (event.itemObject, event.keychainObject)
            var info = EventInformation(
                item: item.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) },
                keychain: keychain.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }, pid: event.pid)
            // SAFETY: both have the layout of the structure in C (SecKeychainAttributeTests.whatACallbackIsToldHasTheLayoutOfC).
            withUnsafeMutablePointer(to: &info) {
                $0.withMemoryRebound(to: SecKeychainCallbackInfo.self, capacity: 1) {
                    _ = callbackFunction(kind, $0, userContext)
                }
            }
            withExtendedLifetime((item, keychain)) {}
        }
    }
}

/// Has a function called no more, from any thread.
///
/// - Returns: `errSecInvalidCallback` for one that is no callback.
@discardableResult
public func SecKeychainRemoveCallback(_ callbackFunction: @escaping SecKeychainCallback) -> OSStatus {
    CallStatus.of("SecKeychainRemoveCallback") { () throws(KeychainError) in
        try KeychainCallbacks.shared.remove(FunctionIdentity(callbackFunction))
    }
}

/// ``SecKeychainCallbackInfo`` as it lies in memory, in Swift and in C, with objects that may be missing.
package struct EventInformation {
    package var version: UInt32 = 0
    package var item: UnsafeRawPointer?
    package var keychain: UnsafeRawPointer?
    package var pid: Int32

    package init(item: UnsafeRawPointer?, keychain: UnsafeRawPointer?, pid: UInt32) {
        (self.item, self.keychain, self.pid) = (item, keychain, Int32(clamping: pid))
    }
}

extension KeychainEvent {
    package var itemObject: SecKeychainItem? { item.map { SecKeychainItem(KeychainItemHandle($0, at: keychain)) } }

    package var keychainObject: SecKeychain? {
        guard let keychain, let deployment = try? KeychainClient.shared.deployment,
            let path = try? KeychainPath(keychain, deployment)
        else { return nil }
        return SecKeychain.at(path)
    }
}
