/// What securityd and enclaved, the custodian of keys, say to each other (`Documentation/formats/enclave-protocol.md`).
///
/// - ``EnclaveRequest`` and ``EnclaveReply``, each in an ``EnclaveEnvelope`` with the number by which a reply finds its request.
/// - The values in them: keys of a store (``StoreKeys``), of attributes, of rows.
///
/// Only the servers' side has it: no program that asks for an item ever holds one of these keys, and `libSecurity.so` has
/// none of this code.
package enum EnclaveProtocol {}
