import ChatelaineModel

/// Gets the custodian's report about itself.
package struct ReadCustodianReport: EnclaveRequest {
    package typealias Reply = EnclaveReport

    package static let operation = EnclaveOperation.report

    package init() {}
    package init(fields: inout CBORMap) throws(CBORError) {}
    package func encodeFields(to writer: inout CBORWriter) {}
}

/// Gets the measures of the custodian's sandbox.
package struct ReadCustodianSandbox: EnclaveRequest {
    package typealias Reply = [SandboxFact]

    package static let operation = EnclaveOperation.sandbox

    package init() {}
    package init(fields: inout CBORMap) throws(CBORError) {}
    package func encodeFields(to writer: inout CBORWriter) {}
}

/// Makes the descriptor that comes with this message a further channel.
package struct OpenChannel: EnclaveRequest {
    package typealias Reply = Done

    package static let operation = EnclaveOperation.openChannel

    package init() {}
    package init(fields: inout CBORMap) throws(CBORError) {}
    package func encodeFields(to writer: inout CBORWriter) {}
}
