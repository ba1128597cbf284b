import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Glibc

/// A program that an entry of an access object trusts, so that no person is asked.
///
/// The program is identified by its identity as securityd judged it, not by its path. Two objects are equal when they
/// stand for the same program.
public final class SecTrustedApplication: NSObject, CFTypeIdentified, Sendable {
    private let current: AdaptiveMutex<TrustedApplication>

    package init(_ application: TrustedApplication) { current = AdaptiveMutex(application) }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 265

    package var application: TrustedApplication {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    public override var hash: Int { application.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecTrustedApplication).map { $0.application == application } ?? false
    }

    public override var description: String { "<SecTrustedApplication: \(application.path.text)>" }
}

/// The type identifier of ``SecTrustedApplication`` objects.
public func SecTrustedApplicationGetTypeID() -> CFTypeID { SecTrustedApplication.cfTypeID }

/// Makes a trusted application for the program at a path.
///
/// - Parameters:
///   - path: the path of an executable file; nil for the calling program.
///   - app: receives the trusted application.
/// - Returns: 100000 plus the system's error number where there is no program at the path; `errSecParam` for a
///   program with an invalid signature.
@discardableResult
public func SecTrustedApplicationCreateFromPath(
    _ path: UnsafePointer<CChar>?, _ app: UnsafeMutablePointer<SecTrustedApplication?>
) -> OSStatus {
    CallStatus.of("SecTrustedApplicationCreateFromPath") { () throws(KeychainError) in
        app.pointee = try TrustedApplicationCalls.make(path)
    }
}

/// Copies a form of a trusted application from which ``SecTrustedApplicationSetData(_:_:)`` makes an equal one.
@discardableResult
public func SecTrustedApplicationCopyData(
    _ appRef: SecTrustedApplication, _ data: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    data.pointee = Data(appRef.application.external) as CFData
    return errSecSuccess
}

/// Replaces the content of a trusted application with what ``SecTrustedApplicationCopyData(_:_:)`` returned for
/// another.
///
/// - Returns: `errSecParam` for other data.
@discardableResult
public func SecTrustedApplicationSetData(_ appRef: SecTrustedApplication, _ data: CFData) -> OSStatus {
    CallStatus.of("SecTrustedApplicationSetData") { () throws(KeychainError) in
        try TrustedApplicationCalls.set(appRef, QueryDictionary.value(data, isSecret: false))
    }
}

/// The `SecTrustedApplication` calls, for Swift and for C alike.
package enum TrustedApplicationCalls {
    /// - Parameter path: nil for the calling program.
    package static func make(_ path: UnsafePointer<CChar>?) throws(KeychainError) -> SecTrustedApplication {
        guard let path else { return SecTrustedApplication(try KeychainClient.shared.trustedApplication(at: nil)) }
        guard let text = String(validatingCString: path), !text.isEmpty else {
            throw KeychainError(.param, "a program's path is empty, or not UTF-8")
        }
        return SecTrustedApplication(try KeychainClient.shared.trustedApplication(at: try absolute(text)))
    }

    package static func set(_ application: SecTrustedApplication, _ data: QueryValue) throws(KeychainError) {
        guard case .data(let bytes) = data else {
            throw KeychainError(.param, "the data of a trusted application are no data")
        }
        application.application = try TrustedApplication(external: bytes)
    }

    /// Makes a path absolute here, since securityd does not know this process's working folder.
    private static func absolute(_ path: String) throws(KeychainError) -> String {
        guard path.utf8.first != UInt8(ascii: "/") else { return path }
        // SAFETY: the call makes the string, or answers nil; it is copied and freed once.
        guard let folder = getcwd(nil, 0) else { throw failed(errno, path) }
        defer { free(folder) }
        guard let working = String(validatingCString: folder) else { throw failed(ENOENT, path) }
        return "\(working)/\(path)"
    }

    private static func failed(_ number: Int32, _ path: String) -> KeychainError {
        KeychainError(
            cause: .request, status: .system(number),
            "the working folder is not known, to which \(path) is relative; use an absolute path")
    }
}
