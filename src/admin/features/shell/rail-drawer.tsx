import { Drawer } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useLayer } from '#admin/lib/layers.ts'
import classes from './frame.module.css'
import { Rail } from './rail.tsx'

/** The navigation rail in a drawer, for small screens. */
export function RailDrawer({ opened, close }: { opened: boolean; close: () => void }) {
  const t = useTranslations('shell')
  useLayer(opened, close)
  return (
    <Drawer.Root
      opened={opened}
      onClose={close}
      size={280}
      transitionProps={{ duration: 100 }}
      classNames={{ content: classes.drawer ?? '' }}
    >
      <Drawer.Overlay color="#000" backgroundOpacity={0.3} />
      <Drawer.Content aria-label={t('navigation')}>
        <Rail collapsed={false} />
      </Drawer.Content>
    </Drawer.Root>
  )
}
