import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import type { SsoMetadata } from '#shared/contract/sso.ts'

/** Fills the form in with what an identity provider says of itself, by the address of its metadata or by their text. */
export function MetadataReader({ p, onRead }: { p: string; onRead: (metadata: SsoMetadata) => void }) {
  const t = useTranslations('sso.metadata')
  const format = useFormatter()
  const [text, setText] = useState('')
  const read = useMutation({
    mutationFn: async () => {
      const given = text.trim()
      const body = given.startsWith('<') ? { xml: given } : { url: given }
      return (await api('POST /api/project/{p}/sso/metadata', { params: { p }, body })).metadata
    },
    onSuccess: onRead,
  })
  const isWrong = read.error instanceof ApiError && read.error.issues.length > 0
  const certificates = read.data?.certificates ?? []
  const endOf = (date: string) => format.dateTime(new Date(date), { dateStyle: 'long' })
  return (
    <Stack gap="xs">
      <Textarea
        label={t('label')}
        description={t('hint')}
        placeholder="https://"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={read.error && (isWrong ? t('wrong') : errorText(read.error))}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Group gap="sm">
        <Button
          variant="default"
          loading={read.isPending}
          disabled={text.trim() === ''}
          onClick={() => read.mutate()}
        >
          {t('read')}
        </Button>
      </Group>
      {read.data && (
        <Text size="sm" role="status">
          {certificates.length === 0
            ? t('noCertificate')
            : t('certificates', {
                count: certificates.length,
                date: endOf(certificates.at(-1)?.endsAt ?? ''),
              })}
        </Text>
      )}
    </Stack>
  )
}
