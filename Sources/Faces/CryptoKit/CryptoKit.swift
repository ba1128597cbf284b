// Re-exports all of swift-crypto, which has the API of Apple's CryptoKit except the Secure Enclave; this module adds
// that.
@_exported import Crypto
