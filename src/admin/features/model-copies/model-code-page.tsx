import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconArrowLeft, IconDownload } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { customTypesQuery, modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { Page } from '#admin/ui/page.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { portableModel } from '#shared/fields/portable.ts'
import { typeScriptOf } from '#shared/fields/type-script.ts'

const route = getRouteApi('/signed-in/$p/$a/$m/-/code')
const formats = ['json', 'typescript'] as const
type Format = (typeof formats)[number]
const files: Record<Format, { ending: string; type: string }> = {
  json: { ending: 'json', type: 'application/json' },
  typescript: { ending: 'ts', type: 'text/typescript' },
}

/** `/{p}/{a}/{m}/-/code`: the model as JSON, and its contents as a TypeScript type. */
export function ModelCodePage() {
  const t = useTranslations('modelCopies.code')
  const { p, a, m } = route.useParams()
  const { data: model } = useSuspenseQuery(modelQuery(p, a, m))
  const models = useQuery(modelsQuery(p, a))
  const customTypes = useQuery(customTypesQuery(p, a))
  const [format, setFormat] = useState<Format>('json')
  const code = useMemo(() => {
    if (!models.data || !customTypes.data) return null
    if (format === 'json') return `${JSON.stringify(portableModel(model, customTypes.data), null, 2)}\n`
    return typeScriptOf(model.uid, { models: models.data, customTypes: customTypes.data })
  }, [format, model, models.data, customTypes.data])
  const failed = models.isError ? models : customTypes.isError ? customTypes : null
  return (
    <Page
      title={t('title', { name: model.name })}
      description={t('about')}
      actions={
        <Button
          variant="default"
          leftSection={<IconArrowLeft size={16} />}
          renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/model" params={{ p, a, m }} />}
        >
          {t('back')}
        </Button>
      }
    >
      {code !== null ? (
        <Stack gap="md">
          <Group justify="space-between">
            <SegmentedControl
              aria-label={t('format')}
              data={formats.map((value) => ({ value, label: t(value) }))}
              value={format}
              onChange={setFormat}
            />
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              onClick={() => download(code, `${model.uid}.${files[format].ending}`, files[format].type)}
            >
              {t('download')}
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            {t(`${format}Text`)}
          </Text>
          <CodeBlock code={code} copyLabel={t('copy')} />
        </Stack>
      ) : failed ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : (
        <SkeletonList rows={6} />
      )}
    </Page>
  )
}

function download(text: string, name: string, type: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
