import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Glibc

/// A program that an entry of an access object lets in without asking.
///
/// It is known by who it is, as securityd judged it, and not by its path. Two are equal when they are the same program.
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

/// Makes a trusted application of the program at a path.
///
/// - Parameters:
///   - path: of an executable file; nil for the calling program.
///   - app: receives it.
/// - Returns: 100000 and the system's error number where there is no program at the path; `errSecParam` for one whose
///   signature does not count.
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

/// Makes a trusted application what ``SecTrustedApplicationCopyData(_:_:)`` had said of another.
///
/// - Returns: `errSecParam` for other data.
@discardableResult
public func SecTrustedApplicationSetData(_ appRef: SecTrustedApplication, _ data: CFData) -> OSStatus {
    CallStatus.of("SecTrustedApplicationSetData") { () throws(KeychainError) in
        try TrustedApplicationCalls.set(appRef, QueryDictionary.value(data, isSecret: false))
    }
}

/// The calls of `SecTrustedApplication`, for Swift and for C alike.
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

    /// The working folder is this process's own, which securityd does not ask for.
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
