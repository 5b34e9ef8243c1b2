import { Button } from '@mantine/core'
import { IconArrowLeft, IconBoxOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { customTypesQuery, modelsQuery } from '#admin/lib/queries.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { ModelEditor } from '../model-editor.tsx'
import { CustomTypeChanges } from './custom-type-changes.tsx'
import { CustomTypePanel } from './custom-type-panel.tsx'
import { useCustomTypeEditor } from './use-custom-type-editor.ts'
import { usersOf } from './users.ts'

export function CustomTypeEditorPage({ p, a, id }: { p: string; a: string; id: string }) {
  const t = useTranslations('customTypes')
  // The type always reloads, because the cached one may be outdated.
  const customTypes = useQuery({ ...customTypesQuery(p, a), refetchOnMount: 'always' })
  const models = useQuery(modelsQuery(p, a))
  const can = useCanInApp(p, a)
  const failed = [customTypes, models].find(({ isError }) => isError)
  const customType = customTypes.data?.find(({ _id }) => _id === id)
  return (
    <Page
      title={customType ? t('titleOf', { name: customType.name }) : t('title')}
      actions={
        <Button
          variant="default"
          leftSection={<IconArrowLeft size={16} />}
          renderRoot={(props) => <Link {...props} to="/$p/$a/-/custom-types" params={{ p, a }} />}
        >
          {t('toList')}
        </Button>
      }
    >
      {failed ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : !customTypes.data || !models.data ? (
        <SkeletonList rows={6} />
      ) : customType ? (
        <Editor
          key={customType._id}
          model={customType}
          models={models.data}
          customTypes={customTypes.data}
          place={{ p, a }}
          readOnly={!can('model.manage')}
        />
      ) : (
        <EmptyState
          icon={<IconBoxOff size={36} stroke={1.4} aria-hidden="true" />}
          title={t('missing')}
          text={t('missingText')}
        />
      )}
    </Page>
  )
}

interface EditorProps {
  model: CustomType
  models: readonly Model[]
  customTypes: readonly CustomType[]
  place: { p: string; a: string }
  readOnly: boolean
}

function Editor(props: EditorProps) {
  const { model, models, customTypes, place } = props
  const work = useCustomTypeEditor(place, model, models, customTypes)
  const users = usersOf(model.uid, models, customTypes)
  return (
    <ModelEditor
      {...props}
      work={work}
      notices={
        <CustomTypeChanges customType={model} users={users.models} place={place} readOnly={props.readOnly} />
      }
      hasDocuments={users.models.some(({ documentCount }) => documentCount > 0)}
      panel={(panel) => (
        <CustomTypePanel {...panel} {...props} customType={model} users={users} dirty={work.dirty} />
      )}
    />
  )
}
