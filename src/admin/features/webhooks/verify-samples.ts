/** The languages of the code samples that verify signatures. */
export const sampleLanguages = ['typescript', 'python', 'php'] as const
export type SampleLanguage = (typeof sampleLanguages)[number]

/** The display names of the languages. */
export const sampleNames: Record<SampleLanguage, string> = {
  typescript: 'TypeScript',
  python: 'Python',
  php: 'PHP',
}

/*
 * Verification by the Standard Webhooks specification. `webhook-signature` has one or more signatures separated by
 * spaces: `v1,` and the base64 of HMAC-SHA256 over `{id}.{timestamp}.{body}`. Each sample defines `verifyWebhook`
 * (`verify_webhook` in Python) with the raw body, the headers with names in any case, and the signing secret.
 */
export const verifySamples: Record<SampleLanguage, string> = {
  typescript: `import { createHmac, timingSafeEqual } from 'node:crypto'

type Headers = Record<string, string | string[] | undefined>

/**
 * body: the raw bytes of the request body. key: whsec_…
 * headers: request.headers of Node.js, or Object.fromEntries(request.headers) of Fetch.
 */
export function verifyWebhook(body: string | Uint8Array, headers: Headers, key: string): boolean {
  const headerOf = (name: string) =>
    String(Object.entries(headers).find(([found]) => found.toLowerCase() === name)?.[1] ?? '')
  const id = headerOf('webhook-id')
  const timestamp = headerOf('webhook-timestamp')
  if (!/^\\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false

  const secret = Buffer.from(key.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', secret).update(\`\${id}.\${timestamp}.\`).update(body).digest()
  return headerOf('webhook-signature').split(' ').some((signature) => {
    if (!signature.startsWith('v1,')) return false
    const given = Buffer.from(signature.slice(3), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
`,
  python: `import base64
import hashlib
import hmac
import re
import time


def verify_webhook(body: bytes, headers: dict[str, str], key: str) -> bool:
    """body: the raw bytes of the request body. key: whsec_…"""
    headers = {name.lower(): value for name, value in headers.items()}
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False

    secret = base64.b64decode(key.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(secret, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(
        hmac.compare_digest(signature.encode(), expected)
        for signature in headers.get("webhook-signature", "").split(" ")
    )
`,
  php: `<?php

/**
 * $body: the raw bytes of the request body, file_get_contents('php://input'). $headers: getallheaders().
 * $key: whsec_…
 */
function verifyWebhook(string $body, array $headers, string $key): bool
{
    $headers = array_change_key_case($headers, CASE_LOWER);
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }

    $secret = base64_decode(preg_replace('/^whsec_/', '', $key));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
`,
}
