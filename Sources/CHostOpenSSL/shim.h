// OpenSSL's C interface, and functions for what Swift cannot import of it: macros that are casts or calls. No logic
// lives here.
#pragma once

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// The options are macros that shift, so Swift sees none of them.
static const uint64_t chost_ssl_op_ignore_unexpected_eof = SSL_OP_IGNORE_UNEXPECTED_EOF;
static const uint64_t chost_ssl_op_enable_ktls = SSL_OP_ENABLE_KTLS;
static const uint64_t chost_ssl_op_no_compression = SSL_OP_NO_COMPRESSION;
static const uint64_t chost_ssl_op_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
static const uint64_t chost_ssl_op_prioritize_chacha = SSL_OP_PRIORITIZE_CHACHA;
static const uint64_t chost_ssl_op_server_preference = SSL_OP_CIPHER_SERVER_PREFERENCE;

static inline int chost_ssl_ctx_set_min_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline void chost_ssl_ctx_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline void chost_ssl_ctx_set_read_ahead(SSL_CTX *context, int on) { SSL_CTX_set_read_ahead(context, on); }
static inline void chost_ssl_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int chost_ssl_ctx_set_groups(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}
/// Takes a reference of its own; for the certificate that was set last.
static inline int chost_ssl_ctx_add_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline void chost_ssl_ctx_set_servername_callback(SSL_CTX *context, int (*callback)(SSL *, int *, void *)) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
}
/// Whether the kernel encrypts what is written from now on.
static inline int chost_ssl_kernel_sends(SSL *ssl) { return BIO_get_ktls_send(SSL_get_wbio(ssl)) != 0; }

// STACK_OF(GENERAL_NAME) is typed by macros.
static inline int chost_general_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline const GENERAL_NAME *chost_general_name(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}
