import ChatelaineModel

/// What the user decides about programs (`security app`); the decisions that it left or removed follow. Paths are
/// absolute. `errSecItemNotFound`, `errSecParam`.
package enum ApplicationCommand: Sendable, Equatable {
    case list
    /// The executable as it is now is the application that was pinned before.
    case accept(path: String)
    /// An executable, or every one below a folder, is being developed: no digest counts.
    case develop(path: String)
    /// Takes the decision about a path back.
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
