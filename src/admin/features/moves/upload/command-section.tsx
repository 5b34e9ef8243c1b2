import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { Section } from '#admin/ui/section.tsx'

/** Explains the upload from a terminal, for very large archives and servers without a browser. */
export function CommandSection({ p }: { p: string }) {
  const t = useTranslations('moves.command')
  const key = useMutation({
    mutationFn: () => api('POST /api/project/{p}/move:key', { params: { p } }),
    onError: (error) => toast.error(errorText(error)),
  })
  const shown = key.data?.key ?? t('placeholder')
  return (
    <Section title={t('title')} description={t('text')}>
      <CodeBlock
        copyLabel={t('copy')}
        code={[
          `export IMORI_MOVE_TOKEN='${shown}'`,
          `npm run import -- ${t('archive')} --server ${location.origin} --space ${p}`,
        ].join('\n')}
      />
      <Text size="sm" c="dimmed" my="xs">
        {key.data ? t('made') : t('hint')}
      </Text>
      <Button variant="default" loading={key.isPending} onClick={() => key.mutate()}>
        {t('make')}
      </Button>
    </Section>
  )
}
