import { Button, Group, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { FormStack } from '#admin/ui/form-stack.tsx'
import type { SsoMetadata } from '#shared/contract/sso.ts'

interface MetadataReaderProps {
  p: string
  onRead: (metadata: SsoMetadata) => void
  /** The reason why the certificates that were read could not be saved. */
  problem: string | null
}

/** Fills in the form from an identity provider's metadata, entered as a URL or as XML. */
export function MetadataReader({ p, onRead, problem }: MetadataReaderProps) {
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
  function textOf(error: Error): string {
    if (!(error instanceof ApiError)) return errorText(error)
    const { code, details, issues } = error
    if (code === 'SsoMetadataIsElsewhere') return t('elsewhere', { location: String(details.location) })
    const tooMany = issues.find((issue) => issue.code === 'TooManyItems')
    if (tooMany) return t('tooMany', { maximum: Number(tooMany.params?.maximum) })
    return issues.length > 0 ? t('wrong') : errorText(error)
  }
  const certificates = read.data?.certificates ?? []
  const endOf = (date: string) => format.dateTime(new Date(date), { dateStyle: 'long' })
  return (
    <FormStack>
      <Textarea
        label={t('label')}
        description={t('hint')}
        placeholder="https://"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={read.error ? textOf(read.error) : problem}
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
        <div role="status">
          <Text size="sm">
            {certificates.length === 0
              ? t('noCertificate')
              : t('certificates', { count: certificates.length })}
          </Text>
          {read.data.unusable > 0 && <Text size="sm">{t('unusable', { count: read.data.unusable })}</Text>}
          {certificates.map(({ fingerprint, endsAt }) => (
            <Text key={fingerprint} size="xs" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
              {t('endsAt', { date: endOf(endsAt) })} SHA-256: {fingerprint}
            </Text>
          ))}
        </div>
      )}
    </FormStack>
  )
}
