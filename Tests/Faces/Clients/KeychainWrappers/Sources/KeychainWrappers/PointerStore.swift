import CoreFoundation
import Foundation
import Security

/// A store that makes queries and reads results with CoreFoundation's own functions, as in code from C.
public final class PointerStore {
    private let service: CFString

    public init(service: String) { self.service = service as CFString }

    private func query(account: CFString) -> CFMutableDictionary {
        var keyCallBacks = kCFTypeDictionaryKeyCallBacks
        var valueCallBacks = kCFTypeDictionaryValueCallBacks
        let query = CFDictionaryCreateMutable(kCFAllocatorDefault, 0, &keyCallBacks, &valueCallBacks)!
        CFDictionaryAddValue(
            query, Unmanaged.passUnretained(kSecClass).toOpaque(),
            Unmanaged.passUnretained(kSecClassGenericPassword).toOpaque())
        CFDictionaryAddValue(
            query, unsafeBitCast(kSecAttrService, to: UnsafeRawPointer.self),
            unsafeBitCast(service, to: UnsafeRawPointer.self))
        CFDictionarySetValue(
            query, Unmanaged.passUnretained(kSecAttrAccount).toOpaque(), Unmanaged.passUnretained(account).toOpaque())
        return query
    }

    public func save(_ secret: [UInt8], account: String) -> OSStatus {
        secret.withUnsafeBufferPointer { bytes in
            let data = CFDataCreateWithBytesNoCopy(nil, bytes.baseAddress, bytes.count, kCFAllocatorNull)!
            let query = query(account: account as CFString)
            CFDictionarySetValue(
                query, Unmanaged.passUnretained(kSecValueData).toOpaque(), Unmanaged.passUnretained(data).toOpaque())
            return SecItemAdd(query, nil)
        }
    }

    public func load(account: String) -> [UInt8]? {
        let query = query(account: account as CFString)
        CFDictionarySetValue(
            query, Unmanaged.passUnretained(kSecReturnData).toOpaque(),
            Unmanaged.passUnretained(kCFBooleanTrue).toOpaque())
        var result: CFTypeRef?
        guard SecItemCopyMatching(query, &result) == errSecSuccess, CFGetTypeID(result) == CFDataGetTypeID() else {
            return nil
        }
        let data = result as! CFData
        return [UInt8](UnsafeBufferPointer(start: CFDataGetBytePtr(data), count: CFDataGetLength(data)))
    }

    /// The accounts of all items.
    public func accounts() -> [String] {
        let query = NSMutableDictionary()
        query.setValue(kSecClassGenericPassword, forKey: kSecClass as String)
        query.setValue(service, forKey: kSecAttrService as String)
        query.setValue(kSecMatchLimitAll, forKey: kSecMatchLimit as String)
        query.setValue(kCFBooleanTrue, forKey: kSecReturnAttributes as String)
        var result: AnyObject?
        guard SecItemCopyMatching(query, &result) == noErr, let items = result as! CFArray? else { return [] }
        return (0..<CFArrayGetCount(items)).map { index in
            let item = unsafeBitCast(CFArrayGetValueAtIndex(items, index), to: CFDictionary.self)
            let account = CFDictionaryGetValue(item, Unmanaged.passUnretained(kSecAttrAccount).toOpaque())
            return unsafeBitCast(account, to: CFString.self) as String
        }
    }

    public func delete(account: String) -> OSStatus { SecItemDelete(query(account: account as CFString)) }
}
