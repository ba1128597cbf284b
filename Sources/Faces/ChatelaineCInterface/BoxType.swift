import CChatelaineFoundation
import Foundation
import Security

/// A CoreFoundation type of ours, whose objects are boxes around objects of a class of Security.
///
/// Equality, hash and description are the Swift object's own.
struct BoxType: Sendable {
    /// The type identifier for `CFGetTypeID`; 0, which is no type's, where CoreFoundation has no room for another
    /// type.
    let identifier: UInt

    private init(_ name: StaticString) {
        identifier = name.withUTF8Buffer { buffer in
            // SAFETY: a static string ends in zero and lives as long as the process.
            buffer.withMemoryRebound(to: CChar.self) { chatelaine_box_register($0.baseAddress) }
        }
    }

    static let accessControl = BoxType("SecAccessControl")
    static let key = BoxType("SecKey")
    static let certificate = BoxType("SecCertificate")
    static let identity = BoxType("SecIdentity")
    static let trust = BoxType("SecTrust")
    static let policy = BoxType("SecPolicy")
    static let task = BoxType("SecTask")
    static let keychainItem = BoxType("SecKeychainItem")
    static let keychain = BoxType("SecKeychain")
    static let keychainSearch = BoxType("SecKeychainSearch")
    static let access = BoxType("SecAccess")
    static let acl = BoxType("SecACL")
    static let trustedApplication = BoxType("SecTrustedApplication")

    /// Makes a box with one reference; nil where the type was not registered.
    func make(_ content: NSObject) -> UnsafeRawPointer? {
        guard identifier != 0 else { return nil }
        return chatelaine_box_make(identifier, Self.calls, Unmanaged.passRetained(content).toOpaque())
    }

    /// The content of a box of this type; nil for every other object.
    func content(of object: UnsafeRawPointer) -> NSObject? {
        chatelaine_box_content(object, identifier).map(Self.content)
    }

    // PROOF for nonisolated(unsafe): written before it is shared, never changed and never freed.
    private nonisolated(unsafe) static let calls: UnsafePointer<chatelaine_box_calls> = {
        let calls = UnsafeMutablePointer<chatelaine_box_calls>.allocate(capacity: 1)
        calls.initialize(
            to: chatelaine_box_calls(
                equal: { first, second in
                    guard let first, let second else { return false }
                    return BoxType.content(first).isEqual(BoxType.content(second))
                },
                hash: { content in content.map { UInt(bitPattern: BoxType.content($0).hash) } ?? 0 },
                copy_description: { content in
                    content.flatMap { ForeignResult.text(BoxType.content($0).description) }
                },
                release: { content in
                    if let content { Unmanaged<NSObject>.fromOpaque(content).release() }
                }))
        return UnsafePointer(calls)
    }()

    // SAFETY: only `make` puts contents into boxes, and what it puts there is an NSObject with a reference of the
    // box's.
    private static func content(_ pointer: UnsafeRawPointer) -> NSObject {
        Unmanaged<NSObject>.fromOpaque(pointer).takeUnretainedValue()
    }
}
