import ChatelaineModel

/// Asks what the daemon says about itself and about the caller; it fails for nobody.
package struct ReadStatus: RequestMessage {
    package typealias Reply = DaemonReport

    package static let name = "status"
    package static let needs = RequestNeeds.nothing

    package init() {}

    package var operation: Operation { .status }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}
