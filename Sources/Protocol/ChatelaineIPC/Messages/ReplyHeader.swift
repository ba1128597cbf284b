import ChatelaineModel

/// The header that begins every reply. The values that the request asked for follow it as a CBOR sequence (RFC 8742).
package struct ReplyHeader: Sendable {
    package var status: Status
    /// For people; empty on success.
    package var reason: String
    /// The path of a keychain whose file the client has to lend first (``LendKeychain``); set only with a failure.
    package var neededFile: String?
    /// How an authentication failed; set only with the failed use of a key (``RequestMessage/tellsAuthentication``).
    package var authentication: AuthenticationFailure?

    package init(status: Status = .success, reason: String = "", neededFile: String? = nil) {
        self.status = status
        self.reason = reason
        self.neededFile = neededFile
    }

    /// The header's status and reason as an error.
    package var failure: any Error {
        var error = KeychainError(status, reason)
        error.authentication = authentication
        return neededFile.map { NeededFile(path: $0, error: error) } ?? error
    }
}

extension ReplyHeader: CBORValue {
    private enum Field: UInt64, CBORField {
        case status = 0
        case reason = 1
        case neededFile = 2
        case authentication = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.status, status)
            $0.write(Field.reason, reason.isEmpty ? nil : reason)
            $0.write(Field.neededFile, neededFile)
            $0.write(Field.authentication, authentication)
        }
    }

    /// Refuses a header without a status, so that it does not pass for success.
    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            status: try map.read(Field.status), reason: try map.readIfPresent(Field.reason) ?? "",
            neededFile: try map.readIfPresent(Field.neededFile))
        authentication = try map.readIfPresent(Field.authentication)
        reader = try map.end()
    }
}

extension Status: CBORValue {
    package init(from reader: inout CBORReader) throws(CBORError) {
        self.init(rawValue: Int32(try reader.readInt(in: Int(Int32.min)...Int(Int32.max))))
    }

    package func encode(to writer: inout CBORWriter) { writer.write(Int64(rawValue)) }
}

/// The request needs the file of a keychain, which the client has to lend first.
///
/// `error` is what the call fails with where the client cannot lend the file.
package struct NeededFile: Error {
    package let path: String
    package let error: KeychainError
}
