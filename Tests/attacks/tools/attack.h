/* Tools of the attacks in Tests/attacks: each verb is one step that a script cannot make by itself. They are written from
   Documentation/formats alone, and use no code of the keychain. */
#ifndef ATTACK_H
#define ATTACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- keychain.c: a client of securityd (wire.md) ---- */

/* The version of the protocol that these tools speak comes from Tests/attacks-test.sh. */
#if !defined PROTOCOL_VERSION || PROTOCOL_VERSION > 23
#error "PROTOCOL_VERSION has to be a number that CBOR writes in one byte"
#endif
/* errSecSuccess, and a number for a closed connection or a malformed answer. */
enum { STATUS_SUCCESS = 0, STATUS_LOST = 1 };

/* Returns a connected socket, or -1 and errno. */
int keychain_connect(const char *path);
/* Connects an existing socket. */
int socket_connect(int socket, const char *path);
/* Returns 0 once the handshake is done, -1 if the daemon ends the connection. */
int keychain_greet(int socket);
/* The steps of the handshake, between which a process can execute another program. */
int greet_hello(int socket);
int greet_nonce(int socket);
int greet_welcome(int socket);
/* Reads the secret of the item (mail, account) as a string, and returns the status. */
int keychain_find(int socket, const char *account, char *secret, size_t size);
/* Adds that item with `size` bytes of secret. */
int keychain_add(int socket, const char *account, const void *secret, size_t size);
int keychain_delete(int socket, const char *account);
/* The two halves of keychain_find: the first sends the request, about an access group if one is named. The second reads the
   status and the secret. */
int keychain_ask(int socket, const char *account, const char *group);
int keychain_answer(int socket, char *secret, size_t size);
/* Receives a whole frame; returns its length, or -1. */
ssize_t frame_receive(int socket, uint8_t *frame, size_t size);
/* Sends bytes by sendmsg(2), with the same descriptor `count` times. */
ssize_t attach(int end, const void *bytes, size_t size, int descriptor, int count, int flags);
int frame_send(int socket, const uint8_t *frame, size_t size, int descriptor);

/* ---- verbs ---- */

int verb_ask(int count, char **words);
int verb_catch(int count, char **words);
int verb_reach(int count, char **words);
int verb_crash(int count, char **words);
int verb_listen(int count, char **words);
int verb_exchange(int count, char **words);
int verb_rewrite(int count, char **words);
int verb_node(int count, char **words);
int verb_flood(int count, char **words);
int verb_calls(int count, char **words);
int verb_hang(int count, char **words);
int verb_hold(int count, char **words);
int verb_hung(int count, char **words);
int verb_inject(int count, char **words);
int verb_disguise(int count, char **words);
int verb_landlock(int count, char **words);
int verb_later(int count, char **words);
int verb_mapped(int count, char **words);
int verb_sandwich(int count, char **words);
int verb_stage(int count, char **words);
int verb_scan(int count, char **words);
int verb_passcodes(int count, char **words);
int verb_peer(int count, char **words);

#endif
