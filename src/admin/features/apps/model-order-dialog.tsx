import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useSortableLabels } from '#admin/fields/sortable-labels.ts'
import { modals } from '#admin/lib/modals.ts'
import { modelsQuery } from '#admin/lib/queries.ts'
import { SortableList } from '#admin/ui/sortable.tsx'
import classes from './model-order-dialog.module.css'
import { moved } from './moved.ts'
import { useModelOrder } from './use-reorder.ts'

/** Opens the dialog to reorder models. Needs the texts for editing. */
export function openModelOrderDialog(p: string, a: string, title: string): void {
  const id = modals.open({ title, children: <ModelOrder p={p} a={a} close={() => modals.close(id)} /> })
}

function ModelOrder({ p, a, close }: { p: string; a: string; close: () => void }) {
  const t = useTranslations('apps')
  const common = useTranslations('common')
  const { data: models = [] } = useQuery(modelsQuery(p, a))
  const reorder = useModelOrder(p, a)
  const labels = useSortableLabels()
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('orderText')}
      </Text>
      <SortableList
        items={models}
        getId={(model) => model.uid}
        getName={(model) => model.name}
        onMove={(from, to) => reorder.mutate(moved(models, from, to - from))}
        labels={labels}
        renderItem={(model, _index, handle) => (
          <div className={classes.row}>
            {handle}
            <span>{model.name}</span>
          </div>
        )}
      />
      <Group justify="flex-end">
        <Button onClick={close}>{common('close')}</Button>
      </Group>
    </Stack>
  )
}
