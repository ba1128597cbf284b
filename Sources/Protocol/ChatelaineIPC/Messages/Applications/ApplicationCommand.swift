import ChatelaineModel

/// Lists or changes the user's decisions about programs (`security app`).
///
/// The reply holds the decisions that the command left or removed. Paths are absolute. Errors: `errSecItemNotFound`,
/// `errSecParam`.
package enum ApplicationCommand: Sendable, Equatable {
    case list
    /// Accepts the present executable as the application that was pinned before.
    case accept(path: String)
    /// Declares an executable, or every executable below a folder, as in development: its digest is not compared.
    case develop(path: String)
    /// Removes the decision about a path.
    case forget(path: String)
}

extension ApplicationCommand: RequestMessage {
    package typealias Reply = [ApplicationDecision]

    package static let name = "a decision about programs"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation {
        switch self {
        case .list: .listApplications
        case .accept: .acceptApplication
        case .develop: .developApplication
        case .forget: .forgetApplication
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {
        switch self {
        case .list: break
        case .accept(let path), .develop(let path), .forget(let path): writer.write(RequestField.path, path)
        }
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        switch operation {
        case .listApplications: self = .list
        case .acceptApplication: self = .accept(path: try fields.read(RequestField.path))
        case .developApplication: self = .develop(path: try fields.read(RequestField.path))
        case .forgetApplication: self = .forget(path: try fields.read(RequestField.path))
        default: throw .unsupported
        }
    }
}
