import ChatelaineModel

/// Asks what the daemon reports about itself and about the caller; no caller is refused.
package struct ReadStatus: RequestMessage {
    package typealias Reply = DaemonReport

    package static let name = "status"
    package static let needs = RequestNeeds.nothing

    package init() {}

    package var operation: Operation { .status }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}
