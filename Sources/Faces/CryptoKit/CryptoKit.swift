// All of swift-crypto, which has the API of Apple's CryptoKit but for the Secure Enclave; that is here.
@_exported import Crypto
