import ChatelaineModel

/// Asks how access objects list a program (`SecTrustedApplicationCreateFromPath`).
///
/// The reply is the ``TrustedApplication``. Errors: 100000 and the error number where the file cannot be read or is no
/// program; `errSecParam` for a program whose signature is not valid.
package struct ReadTrustedApplication: RequestMessage, Equatable {
    package typealias Reply = TrustedApplication

    package static let name = "a question how a program is listed"
    package static let needs = RequestNeeds.knownCaller

    /// The absolute path; nil for the caller itself.
    package var path: String?

    package init(path: String?) { self.path = path }

    package var operation: Operation { .readTrustedApplication }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, path) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        path = try fields.readIfPresent(RequestField.path)
    }
}

extension TrustedApplication: ReplyBody {}
