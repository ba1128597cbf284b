/// Keys of AES that wrap others, as RFC 3394 publishes them (4.1, 4.3, 4.4 and 4.6), in hexadecimal digits.
package enum PublishedKeyWrap {
    package static let all = [
        (
            key: "000102030405060708090a0b0c0d0e0f", other: "00112233445566778899aabbccddeeff",
            wrapped: "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"
        ),
        (
            key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            other: "00112233445566778899aabbccddeeff",
            wrapped: "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"
        ),
        (
            key: "000102030405060708090a0b0c0d0e0f1011121314151617",
            other: "00112233445566778899aabbccddeeff0001020304050607",
            wrapped: "031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2"
        ),
        (
            key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            other: "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f",
            wrapped: "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
        ),
    ]
}
