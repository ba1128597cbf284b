import ChatelaineIPC
import ChatelaineModel
import Foundation

/// The events for which a callback is called: one bit for each ``SecKeychainEvent``.
public struct SecKeychainEventMask: OptionSet, Sendable {
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
    /// No call causes this event.
    public static var dataAccessEventMask: SecKeychainEventMask { .init(.dataAccessEvent) }
    public static var keychainListChangedMask: SecKeychainEventMask { .init(.keychainListChangedEvent) }
    /// The user's settings of trust changed; the event has neither item nor keychain.
    public static var trustSettingsChangedEventMask: SecKeychainEventMask { .init(.trustSettingsChangedEvent) }
    public static var everyEventMask: SecKeychainEventMask { .init(rawValue: .max) }
}

/// The details of an event, which a callback receives.
///
/// The objects are only valid during the call. An event about no item has a null pointer in ``item``; a change of the
/// search list also has one in ``keychain``. Do not touch them for such events.
public struct SecKeychainCallbackInfo {
    /// 0.
    public var version: UInt32
    /// The item that was added, deleted or updated; null where the event stands for so many changed items that they
    /// are not listed.
    public var item: Unmanaged<SecKeychainItem>
    /// The keychain of the event.
    public var keychain: Unmanaged<SecKeychain>
    /// The process that caused the event; 0 where the keychain locked by itself, or where several processes did.
    public var pid: pid_t

    public init(
        version: UInt32, item: Unmanaged<SecKeychainItem>, keychain: Unmanaged<SecKeychain>, pid: pid_t
    ) {
        (self.version, self.item, self.keychain, self.pid) = (version, item, keychain, pid)
    }
}

/// A function that is called for events; its result is ignored.
///
/// It should capture nothing, as on macOS.
public typealias SecKeychainCallback =
    (SecKeychainEvent, UnsafeMutablePointer<SecKeychainCallbackInfo>, UnsafeMutableRawPointer?) -> OSStatus

/// Registers a function for events of file keychains, whichever process causes them.
///
/// The function is called on this thread while its run loop runs (`RunLoop.current.run()`), never inside the call
/// that causes the event. It may read and delete the item, and add and remove callbacks.
///
/// - Returns: `errSecDuplicateCallback` for a function that is already registered.
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
            // SAFETY: both have the layout of the structure in C
            // (SecKeychainAttributeTests.whatACallbackIsToldHasTheLayoutOfC).
            withUnsafeMutablePointer(to: &info) {
                $0.withMemoryRebound(to: SecKeychainCallbackInfo.self, capacity: 1) {
                    _ = callbackFunction(kind, $0, userContext)
                }
            }
            withExtendedLifetime((item, keychain)) {}
        }
    }
}

/// Removes a callback; any thread may do so.
///
/// - Returns: `errSecInvalidCallback` for a function that is not registered.
@discardableResult
public func SecKeychainRemoveCallback(_ callbackFunction: @escaping SecKeychainCallback) -> OSStatus {
    CallStatus.of("SecKeychainRemoveCallback") { () throws(KeychainError) in
        try KeychainCallbacks.shared.remove(FunctionIdentity(callbackFunction))
    }
}

/// ``SecKeychainCallbackInfo`` as it is in memory, in Swift and in C, with objects that may be missing.
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
