/// The messages between securityd and enclaved, the custodian of keys (`Documentation/formats/enclave-protocol.md`).
///
/// - ``EnclaveRequest``: a request, a value in the folder of its family. Its number matches a reply to it.
/// - ``EnclaveReply``: the reply to a request. An ``EnclaveAnswer`` is one on its way, or a failure.
/// - The values in them: keys of a store (``StoreKeys``), of attributes, of rows.
///
/// Only servers contain this code; `libSecurity.so` does not. No program that asks for an item ever holds one of these
/// keys.
package enum EnclaveProtocol {}
